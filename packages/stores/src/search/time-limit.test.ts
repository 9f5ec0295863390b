import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runWithin } from './time-limit.ts';

test('[SE62] a regular expression that would take forever is ended, and the thread goes on with what it has', () => {
  const done: string[] = [];
  const forever = /^(a|aa)+$/;
  for (let count = 1; count <= 2; count += 1) {
    const isEnded = runWithin(500, () => {
      done.push('before');
      forever.test(`${'a'.repeat(200)}!`);
      done.push('never');
    });
    assert.equal(isEnded, false);
  }
  assert.deepEqual(done, ['before', 'before']);
  assert.equal(forever.test('aaa'), true);
});

test('[SE62] work that ends is done, and what it throws is thrown', () => {
  const done: string[] = [];
  assert.equal(
    runWithin(60_000, () => void done.push('all')),
    true,
  );
  assert.deepEqual(done, ['all']);
  const work = (): void => {
    throw new RangeError('no such block');
  };
  assert.throws(() => runWithin(60_000, work), new RangeError('no such block'));
});
