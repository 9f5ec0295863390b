import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { capturesOf, corpusOf, linesOf } from '../foreign/testing/material.ts';
import { recognizesExec, recognizesRollout } from './recognizing.ts';

const fixture = (name: string): string => linesOf(join(import.meta.dirname, 'fixtures', name)).join('\n');

test('[CD13] a session and what exec printed are known by how they begin', () => {
  const [rollout, exec] = [fixture('tools.rollout.jsonl'), fixture('tools.exec.jsonl')];
  assert.deepEqual([recognizesRollout('a', rollout), recognizesExec('a', rollout)], [true, false]);
  assert.deepEqual([recognizesRollout('a', exec), recognizesExec('a', exec)], [false, true]);
  assert.ok(
    recognizesRollout('a', `# a comment\n{"id":"x","timestamp":"2025-08-06T18:02:11.000Z","instructions":null}`),
  );
});

test('[CD13] a bare item is a session by its name alone; other lines, other programs and logs of the screen are not', () => {
  const bare = '{"type":"message","role":"user","content":[]}';
  assert.ok(recognizesRollout('sessions/rollout-2025-08-06T18-02-11-x.jsonl', bare));
  for (const beginning of [
    bare,
    '',
    '{}',
    'not JSON',
    '{"ts":"2025-08-10","dir":"meta","kind":"session_start","cwd":"/project"}',
    '{"ts":"2025-08-10","dir":"to_tui","kind":"codex_event","payload":{"id":"0","msg":{"type":"agent_message"}}}',
    '{"type":"user","message":{"role":"user","content":"a"},"uuid":"1"}',
    '{"type":"system","subtype":"init"}',
  ]) {
    assert.ok(!recognizesRollout('x.jsonl', beginning) && !recognizesExec('x.jsonl', beginning), beginning);
  }
});

const others = corpusOf('other-agent-sessions', '**/*.json*');
const logs = corpusOf('codex-rollouts', '**/tui-session-logs/*.jsonl', '**/*.json');
const claude = capturesOf('claude/**/*.jsonl', 'claude/**/*.ndjson', 'gemini/**/*.*json*', 'pi/**/*.*json*');

test('[CD13] no file of another program is taken for one of Codex', others, () => {
  for (const path of [...others.files, ...logs.files, ...claude.files]) {
    const beginning = linesOf(path).slice(0, 20).join('\n');
    assert.ok(!recognizesRollout(path, beginning) && !recognizesExec(path, beginning), path);
  }
});
