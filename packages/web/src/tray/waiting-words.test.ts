import test from 'node:test';
import assert from 'node:assert/strict';
import { calledTool } from './called-tool.ts';
import { waitingWords } from './waiting-words.ts';

test('[WB110] how long something waits is told in one unit', () => {
  const minutes = [0, 2, 59, 60, 47 * 60, 48 * 60];
  assert.deepEqual(
    minutes.map((amount) => waitingWords(0, amount * 60_000)),
    ['just now', 'waiting 2m', 'waiting 59m', 'waiting 1h', 'waiting 47h', 'waiting 2 days'],
  );
});

test('[WB110] a waiting call keeps the exact arguments that a decision is bound to', () => {
  const about = { root: 'r', opening: '', node: 'r/1', turn: 't', provider: 'p', model: 'm', since: '2026-11-17' };
  const call = { ...about, tool: 'run', ask: { kind: 'ask' as const, preview: [] } };
  const written = '{"a":  1}';
  assert.deepEqual(calledTool({ ...call, arguments: written }), {
    type: 'tool-use',
    id: 'r/1',
    name: 'run',
    parameters: { a: 1 },
    arguments: written,
  });
  assert.deepEqual(calledTool({ ...call, arguments: 'not json' }).parameters, {});
});
