import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TestProgress } from './test-progress.ts';

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
  progress.end(['packages/a.test.ts', 'packages/b.test.ts'], 300_000);
  progress.begin('not one of them', 300_000);
  assert.equal(progress.describe(300_000), '2 of 3 test files done, about 1 s left');
  assert.deepEqual(progress.times, { 'packages/a.test.ts': 300_000, 'packages/b.test.ts': 300_000 });
});

test('[RP18] where no earlier run is known there is no guess', () => {
  const progress = new TestProgress(['a.test.ts', 'b.test.ts'], {}, 2);
  progress.begin('a.test.ts', 0);
  assert.equal(progress.describe(5000), '0 of 2 test files done, running a.test.ts');
});

test('[RP18] of files that share a process each is done when the next begins, and takes as long as its tests', () => {
  const files = ['a.test.ts', 'b.test.ts', 'c.test.ts'];
  const progress = new TestProgress(files, {}, 1);
  assert.equal(progress.lastOf(files), undefined);
  progress.goOn(files, 'a.test.ts', 0, 'one');
  progress.goOn(files, 'a.test.ts', 100, 'two');
  assert.equal(progress.describe(100), '0 of 3 test files done, running a.test.ts');
  progress.add(files, 'a.test.ts', 90.4);
  progress.add(files, 'a.test.ts', 200);
  progress.goOn(files, 'b.test.ts', 300, 'three');
  assert.equal(progress.describe(300), '1 of 3 test files done, running b.test.ts');
  assert.equal(progress.lastOf(files), 'three (b.test.ts)');
  progress.add(files, 'b.test.ts', 600);
  progress.end(files, 1000);
  assert.equal(progress.describe(1000), '3 of 3 test files done, about 0 s left');
  assert.deepEqual(progress.times, { 'a.test.ts': 290, 'b.test.ts': 600, 'c.test.ts': 0 });
});
