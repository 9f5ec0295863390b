import test from 'node:test';
import assert from 'node:assert/strict';
import { nextItem } from './next-item.ts';

test('[WB101] in a menu arrows go round, Home and End go to the ends, and a letter to the next item that begins with it', () => {
  const labels = ['Rename…', 'Tags…', 'Delete', 'Restore'];
  assert.equal(nextItem(labels, -1, 'ArrowDown'), 0);
  assert.equal(nextItem(labels, 3, 'ArrowDown'), 0);
  assert.equal(nextItem(labels, 0, 'ArrowUp'), 3);
  assert.equal(nextItem(labels, -1, 'ArrowUp'), 3);
  assert.equal(nextItem(labels, 2, 'Home'), 0);
  assert.equal(nextItem(labels, 0, 'End'), 3);
  assert.equal(nextItem(labels, 0, 'r'), 3);
  assert.equal(nextItem(labels, 3, 'R'), 0);
  assert.equal(nextItem(labels, 0, 'x'), undefined);
  assert.equal(nextItem(labels, 0, 'Enter'), undefined);
  assert.equal(nextItem([], -1, 'ArrowDown'), undefined);
});
