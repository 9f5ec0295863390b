import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CursorSender } from './cursor-sender.ts';

test('[WB626] a place is told once things have settled, when everything typed is saved, and never while it is none', () => {
  const told: [number, number][] = [];
  const waiting: (() => void)[] = [];
  let isSaved = true;
  let place: { anchor: number; head: number } | undefined = { anchor: 1, head: 2 };
  const text = { isSaved: () => isSaved, showCursor: (anchor: number, head: number) => void told.push([anchor, head]) };
  const clock = {
    after(_milliseconds: number, callback: () => void) {
      waiting.push(callback);
      return () => {};
    },
  };
  const sender = new CursorSender(text, () => place, clock);
  sender.note();
  sender.note();
  assert.equal(waiting.length, 1);
  waiting.shift()?.();
  assert.deepEqual(told, [[1, 2]]);
  // Nothing has moved.
  sender.look();
  assert.equal(told.length, 1);
  isSaved = false;
  sender.note();
  waiting.shift()?.();
  assert.equal(told.length, 1);
  place = { anchor: 7, head: 7 };
  isSaved = true;
  sender.look();
  assert.deepEqual(told.at(-1), [7, 7]);
  place = undefined;
  sender.note();
  waiting.shift()?.();
  assert.equal(told.length, 2);
});
