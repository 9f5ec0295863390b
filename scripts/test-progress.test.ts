import assert from 'node:assert/strict';
import { test } from 'node:test';
import { longestFirst, TestProgress } from './test-progress.ts';

test('[RP18] the line says what runs, how many files are done and about how long the rest takes', () => {
  const known = { 'packages/a.test.ts': 60_000, 'packages/b.test.ts': 400_000, 'c.test.ts': 2000 };
  const progress = new TestProgress(Object.keys(known), known, 2);
  assert.equal(progress.describe(0), '0 of 3 test files done, about 4 min left');
  progress.begin('packages/a.test.ts', 0);
  progress.begin('packages/b.test.ts', 0);
  assert.equal(
    progress.describe(300_000),
    '0 of 3 test files done, about 51 s left, running a.test.ts and b.test.ts',
    'what takes longer than before is nearly done',
  );
  progress.end('packages/a.test.ts', 300_000);
  progress.end('packages/b.test.ts', 300_000);
  progress.begin('not one of them', 300_000);
  assert.equal(progress.describe(300_000), '2 of 3 test files done, about 1 s left');
  assert.deepEqual(progress.times, { 'packages/a.test.ts': 300_000, 'packages/b.test.ts': 300_000 });
});

test('[RP18] where no earlier run is known there is no guess', () => {
  const progress = new TestProgress(['a.test.ts', 'b.test.ts'], {}, 2);
  progress.begin('a.test.ts', 0);
  assert.equal(progress.describe(5000), '0 of 2 test files done, running a.test.ts');
});

test('[RP18] what took longest is begun first, and what is new before that', () => {
  assert.deepEqual(longestFirst(['a', 'b', 'c', 'd'], { a: 1, b: 3, c: 2 }), ['d', 'b', 'c', 'a']);
  assert.deepEqual(longestFirst(['a', 'w/e2e/b', 'c', 'w/e2e/d'], { 'w/e2e/d': 5 }), ['w/e2e/b', 'a', 'c', 'w/e2e/d']);
});
