import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passOn, StoreError } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import { guardStore } from './guarded-writes.ts';

test('[LK5] writes that are answered together are held back together, also when the lock is lost while they are under way', async () => {
  const store = createMemoryStore();
  let [looks, isInPlace] = [0, true];
  const lock = {
    isInPlace: () => {
      looks += 1;
      return isInPlace;
    },
  };
  const guarded = guardStore(
    { ...passOn(store), append: (...write) => commit.then(() => store.append(...write)) },
    lock,
    '.',
  );
  const { promise: commit, resolve } = Promise.withResolvers<undefined>();
  const writes = Array.from({ length: 64 }, (_, index) =>
    guarded.append(`log ${index}`, { epoch: undefined, expectedSeq: 0, records: [{ seq: 1, text: '{}' }] }),
  );
  isInPlace = false;
  resolve(undefined);
  const answers = await Promise.allSettled(writes);
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set(['rejected']));
  await assert.rejects(guarded.putBlob(Buffer.from('later')), StoreError);
  isInPlace = true;
  looks = 0;
  await Promise.all(writes.map((_, index) => guarded.nextClientId(index)));
  assert.equal(looks, 2, 'one look before and one after');
});
