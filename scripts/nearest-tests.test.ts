import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nearestTests } from './nearest-tests.ts';
import type { NearestOptions } from './nearest-tests.ts';

const choose = (options: Partial<NearestOptions>): ReturnType<typeof nearestTests> =>
  nearestTests({ reached: new Map(), changed: [], known: {}, room: 60_000, read: () => '', ...options });

test('[RP23] of many tests the nearest that fit are run, and the others are named', () => {
  const reached = new Map([
    ['far.test.ts', 3],
    ['near.test.ts', 2],
    ['long.test.ts', 1],
    ['own.test.ts', 0],
  ]);
  const known = { 'own.test.ts': 2000, 'long.test.ts': 90_000, 'near.test.ts': 30_000, 'far.test.ts': 1000 };
  assert.deepEqual(choose({ reached, known, room: 60_000 }), {
    chosen: ['own.test.ts', 'near.test.ts', 'far.test.ts'],
    left: ['long.test.ts'],
  });
  assert.deepEqual(choose({ reached, known, room: 92_500 }), {
    chosen: ['own.test.ts', 'long.test.ts'],
    left: ['near.test.ts', 'far.test.ts'],
  });
  assert.deepEqual(choose({ reached, known, room: 1000 }).chosen, ['own.test.ts'], 'one is always run');
});

test('[RP23] of tests that are equally far, those named like the change come first, then the shortest', () => {
  const reached = new Map(['a/long.test.ts', 'a/short.test.ts', 'web/message-list.test.ts'].map((file) => [file, 1]));
  const known = { 'a/long.test.ts': 20_000, 'a/short.test.ts': 1000, 'web/message-list.test.ts': 30_000 };
  const changed = ['packages/server/src/message.ts'];
  assert.deepEqual(choose({ reached, known, changed }).chosen, [
    'web/message-list.test.ts',
    'a/short.test.ts',
    'a/long.test.ts',
  ]);
});

test('[RP23] tests that were never run here are taken for usual ones of their kind, by the number of tests', () => {
  const names = ['packages/a/one.test.ts', 'scripts/two.test.ts', 'packages/web/e2e/three.test.ts'];
  const reached = new Map(names.map((name) => [name, 1]));
  const tests = "test('[A1] …', () => {});\n".repeat(4);
  assert.deepEqual(choose({ reached, room: 7500, read: () => tests }).chosen, names.slice(0, 2));
  assert.deepEqual(choose({ reached, room: 30_500, read: () => tests }).chosen, names);
  const program = `import { start } from './testing/loom-process.ts';\n${tests}`;
  const order = choose({ reached, read: (file) => (file === names[0] ? tests.repeat(20) : program) }).chosen;
  assert.deepEqual(order, ['scripts/two.test.ts', 'packages/a/one.test.ts', 'packages/web/e2e/three.test.ts']);
});
