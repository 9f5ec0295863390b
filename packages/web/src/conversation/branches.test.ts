import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countBelow, pathTo, shapeOf, siblingsOf, tipBelow } from './branches.ts';

const node = (id: string, parent: string, time: number) => ({ id, parent, role: 'user' as const, time });
// a ─ b ─ d
//   └ c ─ e
//       └ f
const shape = shapeOf([
  node('a', 'root', 1),
  node('b', 'a', 2),
  node('c', 'a', 3),
  node('d', 'b', 4),
  node('e', 'c', 5),
  node('f', 'c', 6),
]);

test('[WB1] a branch goes from the first message to its end, by the ways that were taken last, else by the newest', () => {
  assert.deepEqual(pathTo(shape, 'e'), ['a', 'c', 'e']);
  assert.deepEqual(pathTo(shape, 'root'), []);
  assert.equal(tipBelow(shape, 'root', new Map()), 'f');
  assert.equal(tipBelow(shape, 'root', new Map([['a', 'b']])), 'd');
  assert.equal(tipBelow(shape, 'c', new Map([['c', 'gone']])), 'f', 'a choice that is gone is none');
});

test('[WB2] siblings stand in the order in which they came, and what is elsewhere is counted', () => {
  assert.deepEqual(siblingsOf(shape, 'c'), { all: ['b', 'c'], at: 1 });
  assert.deepEqual(siblingsOf(shape, 'a'), { all: ['a'], at: 0 });
  assert.equal(countBelow(shape, 'c'), 3);
});
