import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SlowStore } from './slow-store.ts';

test('[WB161] a value is told at once after a quiet time, then at most every so often, the last one always', () => {
  let time = 1000;
  let due: { at: number; call: () => void } | undefined;
  const clock = {
    now: () => time,
    after: (milliseconds: number, call: () => void) => {
      due = { at: time + milliseconds, call };
      return () => (due = undefined);
    },
  };
  const pass = (milliseconds: number): void => {
    time += milliseconds;
    if (due !== undefined && due.at <= time) due.call();
  };
  const store = new SlowStore('a', 500, clock);
  const told: string[] = [];
  store.subscribe(() => told.push(store.getSnapshot()));
  store.offer('b');
  assert.deepEqual(told, ['b']);
  store.offer('c');
  pass(100);
  store.offer('d');
  pass(399);
  assert.deepEqual(told, ['b']);
  pass(1);
  assert.deepEqual(told, ['b', 'd']);
  store.offer('e');
  store.settle();
  assert.deepEqual(told, ['b', 'd', 'e'], 'what is asked for is told at once');
  pass(1000);
  assert.equal(told.length, 3);
  store.offer('f');
  store.offer('g');
  store.stop();
  pass(1000);
  assert.deepEqual(told, ['b', 'd', 'e', 'f']);
});
