import assert from 'node:assert/strict';
import { test } from 'node:test';
import { passOn, StoreError } from '@loom/kernel/store';
import { VirtualClock } from '@loom/kernel/testing';
import { createMemoryStore } from '@loom/stores/memory';
import { keepBlobsSwept } from './blob-upkeep.ts';

const hour = 60 * 60_000;

function openScene() {
  const clock = new VirtualClock();
  const store = createMemoryStore({ now: () => clock.now() });
  const failures: unknown[] = [];
  const onFailure = (error: unknown): void => void failures.push(error);
  const options = { store, clock, roots: async () => [], isIncomplete: () => false, onFailure };
  return { clock, store, failures, options, put: (text: string) => store.putBlob(Buffer.from(text)) };
}

test('[DR11] while a folder is served, blobs that nothing has cited for a week are removed once a day', async () => {
  const { clock, store, failures, options, put } = openScene();
  const [cited, old] = [await put('cited'), await put('old')];
  const records = [{ seq: 1, text: `{"blob":"${cited}"}` }];
  await store.append('root-1', { epoch: undefined, expectedSeq: 0, records });
  const stop = keepBlobsSwept(options);
  await clock.advanceAndRest(6 * 24 * hour);
  assert.ok((await store.getBlob(old)) !== undefined);
  await clock.advanceAndRest(48 * hour);
  assert.equal(await store.getBlob(old), undefined);
  const later = await put('later');
  await clock.advanceAndRest(9 * 24 * hour);
  assert.equal(await store.getBlob(later), undefined);
  const last = await put('last');
  await stop();
  await clock.advanceAndRest(20 * 24 * hour);
  for (const id of [cited, last]) assert.ok((await store.getBlob(id)) !== undefined);
  assert.deepEqual(failures, []);
});

test('[DR11] none goes while a log is lost or cannot be read; any other failure is told, and the next day is another try', async () => {
  for (const why of ['lost', 'damaged', 'failed']) {
    const { clock, store, failures, options, put } = openScene();
    await store.append('root-1', { epoch: undefined, expectedSeq: 0, records: [{ seq: 1, text: '{}' }] });
    const old = await put('old');
    let isBad = true;
    const error = new StoreError(why === 'damaged' ? 'store-corrupt' : 'store-failed', why, '');
    const stop = keepBlobsSwept({
      ...options,
      isIncomplete: () => why === 'lost' && isBad,
      store: {
        ...passOn(store),
        read: (...range) => (isBad && why !== 'lost' ? Promise.reject(error) : store.read(...range)),
      },
    });
    await clock.advanceAndRest(8 * 24 * hour);
    assert.ok((await store.getBlob(old)) !== undefined, why);
    assert.equal(failures.length > 0, why === 'failed', why);
    isBad = false;
    await clock.advanceAndRest(24 * hour);
    assert.equal(await store.getBlob(old), undefined, why);
    await stop();
  }
});
