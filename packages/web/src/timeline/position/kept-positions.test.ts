import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KeptPositions } from './kept-positions.ts';

function storageWith(text?: string) {
  const kept = new Map(text === undefined ? [] : [['loom-positions', text]]);
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
    removeItem: (key: string) => void kept.delete(key),
  };
}

test('[WB65] where a reader was is known by address after a reload, of the last hundred places', () => {
  const storage = storageWith();
  const positions = new KeptPositions(storage);
  const position = { node: 'r/node-1', row: 'r/@a/1', offset: 12 };
  for (let index = 0; index < 105; index += 1) positions.keep(`/r/${index}`, position);
  positions.forget('/r/100');
  const again = new KeptPositions(storage);
  assert.deepEqual(again.get('/r/104'), position);
  assert.deepEqual(again.get('/r/5'), position);
  assert.equal(again.get('/r/4'), undefined);
  assert.equal(again.get('/r/100'), undefined);
  for (const damaged of ['{', '7', '[1, ["/r/1"], ["/r/1", {"node": 1}]]']) {
    assert.equal(new KeptPositions(storageWith(damaged)).get('/r/1'), undefined);
  }
});
