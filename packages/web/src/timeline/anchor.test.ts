import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Row } from '../conversation/rows.ts';
import { findAnchor, isShift } from './anchor.ts';

const rows = (...keys: string[]): Row[] => keys.map((key) => ({ kind: 'header', key, node: key }));
const before = rows('a', 'loading', 'c', 'd');

test('[WB62] what is in sight is found again when rows come above it, below it, or in its place', () => {
  assert.deepEqual(findAnchor(before, rows('a', 'b1', 'b2', 'c', 'd'), 2), { from: 2, to: 3 });
  assert.deepEqual(
    findAnchor(before, rows('a', 'b1', 'b2', 'c', 'd'), 1),
    { from: 2, to: 3 },
    'the next one that is there',
  );
  assert.deepEqual(findAnchor(before, rows('a', 'loading', 'c', 'd', 'e'), 2), { from: 2, to: 2 });
  assert.equal(findAnchor(before, rows('x'), 0), undefined);
});

test('[WB62] rows that all came above move everything; those that came below move nothing', () => {
  const above = rows('a', 'b1', 'b2', 'c', 'd');
  assert.equal(isShift({ from: 2, to: 3 }, before, above), true);
  assert.equal(isShift({ from: 2, to: 2 }, before, rows('a', 'loading', 'c', 'd', 'e')), false);
  assert.equal(isShift({ from: 2, to: 3 }, before, [...above, ...rows('e')]), false, 'some came below, too');
});
