import assert from 'node:assert/strict';
import { test } from 'node:test';
import { line, said } from '../../claude-code/testing/transcript.ts';
import { claudeCodeFormat } from './claude-code-format.ts';

test('[CC18] a file with the lines of Claude Code around messages of another shape is not taken for a transcript', () => {
  const text = (...lines: object[]): string => lines.map((each) => JSON.stringify(each)).join('\n');
  const system = line('system', 's1', null, { subtype: 'ui_telemetry' });
  const other = line('assistant', 'a1', 's1', { message: { role: 'model', parts: [{ text: 'Yes' }] } });
  assert.equal(claudeCodeFormat.recognizes('a.jsonl', text(system, said('u1', 's1', '"parts": []'))), true);
  assert.equal(claudeCodeFormat.recognizes('a.jsonl', text(system, other)), false);
});
