import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isBeforeStart, marksFor, notShown } from './shown-to-models.ts';

const path = [
  { id: 'a' },
  { id: 'b', exclude: ['x'] },
  { id: 'c', context_start: true },
  { id: 'd', exclude: ['x', 'y'] },
];

test('[WB48] what is left out holds from the message that says so on, and the last start of the context counts', () => {
  const { blocks, start } = notShown(path);
  assert.deepEqual([...blocks.keys()], ['x', 'y']);
  assert.deepEqual(blocks.get('x'), ['b', 'd']);
  assert.equal(start, 'c');
  const ids = path.map(({ id }) => id);
  assert.deepEqual(
    ids.filter((id) => isBeforeStart(ids, start, id)),
    ['a', 'b'],
  );
});

test('[WB48] a block is left out at the end of the branch, and included again wherever it was left out', () => {
  assert.deepEqual(marksFor(path, 'z'), [{ node: 'd', exclude: ['x', 'y', 'z'] }]);
  assert.deepEqual(marksFor(path, 'x'), [
    { node: 'b', exclude: null },
    { node: 'd', exclude: ['y'] },
  ]);
  assert.deepEqual(marksFor([], 'x'), []);
});
