import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalSchema, refuse } from '../refusal.ts';
import { refusalSamples } from '../testing/refusal-samples.ts';
import { modelWords } from './model-words.ts';
import { kernelOperations } from './table.ts';

test('[RF1] a refusal fits its schema, with what to do next as data', () => {
  for (const sample of refusalSamples()) {
    const { ok, refusal } = refuse(sample);
    assert.equal(ok, false);
    assert.deepEqual(refusalSchema().parse(JSON.parse(JSON.stringify(refusal))), refusal);
    assert.ok(!('message' in refusal) || typeof refusal.message === 'number', 'no prose');
  }
  assert.deepEqual(refuse({ reason: 'node-deleted', node: 'r/node-3', deleted: 'r/node-1' }).refusal.next, {
    type: 'restore',
    id: 'r/node-1',
  });
});

test('[RF2] models have plain words for every refusal, which name no command', () => {
  for (const sample of refusalSamples()) {
    const words = modelWords(sample);
    assert.match(words, /^(?:[A-Z]|root-1).{9,}[.?]$/su, JSON.stringify(sample));
    assert.doesNotMatch(words, /undefined|\[object|\bloom \w|NaN/u, JSON.stringify(sample));
  }
  for (const [needs, named] of [
    ['appender', 'an appender'],
    ['owner', 'an owner'],
    ['writer', 'a writer'],
  ] as const) {
    const words = modelWords({ reason: 'not-permitted', needs, operation: 'node.append' });
    assert.equal(words, `Only ${named} may call node.append.`);
  }
});

test('[RF2] every reason that an operation names is one that there are words for', () => {
  const worded = new Set(refusalSamples().map(({ reason }) => reason));
  for (const { name, refusals } of kernelOperations) {
    for (const reason of refusals) assert.ok(worded.has(reason), `${name}: ${reason}`);
  }
});
