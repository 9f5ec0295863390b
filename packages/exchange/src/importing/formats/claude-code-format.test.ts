import assert from 'node:assert/strict';
import { test } from 'node:test';
import { transcriptRecords } from '../../claude-code/document.ts';
import { line, said } from '../../claude-code/testing/transcript.ts';
import { createTranscriptReader } from '../../claude-code/transcript-reader.ts';
import { claudeCodeDocumentFormat, claudeCodeFormat } from './claude-code-format.ts';

test('[CC18] a file with the lines of Claude Code around messages of another shape is not taken for a transcript', () => {
  const text = (...lines: object[]): string => lines.map((each) => JSON.stringify(each)).join('\n');
  const system = line('system', 's1', null, { subtype: 'ui_telemetry' });
  const other = line('assistant', 'a1', 's1', { message: { role: 'model', parts: [{ text: 'Yes' }] } });
  assert.equal(claudeCodeFormat.recognizes('a.jsonl', text(system, said('u1', 's1', '"parts": []'))), true);
  assert.equal(claudeCodeFormat.recognizes('a.jsonl', text(system, other)), false);
});

test('[CC18] a document of loglines is a transcript, also if its records do not say where they stand', () => {
  const document = JSON.stringify({
    loglines: [
      { type: 'user', timestamp: '2026-01-01T00:00:00.000Z', message: { role: 'user', content: 'Go' } },
      { type: 'assistant', message: { role: 'assistant', id: 'm1', content: [{ type: 'text', text: 'Yes' }] } },
    ],
  });
  assert.equal(claudeCodeDocumentFormat.recognizes('session.json', document), true);
  assert.equal(claudeCodeDocumentFormat.recognizes('session.json', '{"loglines":"none"}'), false);
  const reader = createTranscriptReader();
  for (const record of transcriptRecords(document) ?? []) reader.pushRecord(record);
  const nodes = reader.take().flatMap((item) => (item.type === 'node' ? [item.node] : []));
  assert.deepEqual(
    nodes.map(({ role, parent }) => [role, parent !== undefined]),
    [
      ['user', false],
      ['assistant', true],
    ],
  );
});
