import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { compareIds, placeOfId } from './id-order.ts';

test('[FR64] ids are ordered by their numbers, and those without one behind them', () => {
  const ids = ['root-1/b', 'root-1/node-10', 'root-1/a', 'root-1/node-9'];
  assert.deepEqual(ids.toSorted(compareIds), ['root-1/node-9', 'root-1/node-10', 'root-1/a', 'root-1/b']);
});

test('[FR64] whatever ids older generations gave, each is found where it was put', () => {
  const id = fc.oneof(
    fc.nat().map((number) => `root-1/node-${number}`),
    fc.uuid().map((uuid) => `root-1/${uuid}`),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.uniqueArray(id), (ids) => {
      const siblings: string[] = [];
      for (const one of ids) siblings.splice(placeOfId(siblings, one), 0, one);
      for (const one of ids) assert.equal(siblings[placeOfId(siblings, one)], one);
    }),
  );
});
