import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore } from '@loom/stores/memory';
import type { Store } from '../store.ts';
import { passOn, StoreError } from '../store.ts';
import { blobGrace, sweepBlobs } from './blob-sweep.ts';

let time = 1000;
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

async function append(store: Store, log: string, text: string): Promise<void> {
  const known = await store.read(log, 0);
  const seq = known?.records.at(-1)?.seq ?? 0;
  const request = { epoch: known?.epoch, expectedSeq: seq, records: [{ seq: seq + 1, text }] };
  assert.ok((await store.append(log, request)).ok);
}

async function openStore(): Promise<{ store: Store; put: (text: string) => Promise<string> }> {
  const store = createMemoryStore({ now: () => time });
  return { store, put: (text) => store.putBlob(bytesOf(text)) };
}

test('[LO32] blobs that no log has named for a week are removed, and no others', async () => {
  const { store, put } = await openStore();
  const [first, last, old] = [await put('first'), await put('last'), await put('old')];
  await append(store, 'root-1', `{"blob":"${first}"}`);
  for (let change = 0; change < 1200; change += 1) await append(store, 'root-2', '{}');
  await append(store, 'root-2', `{"text":"as in ${last}"}`);
  time += blobGrace;
  const young = await put('young');
  assert.deepEqual(await sweepBlobs({ store }), { blobs: 1, bytes: 3 });
  assert.equal(await store.getBlob(old), undefined);
  for (const id of [first, last, young]) assert.ok((await store.getBlob(id)) !== undefined);
});

test('[LO32] a blob that is named while the logs are read, also by another process, stays', async () => {
  const { store, put } = await openStore();
  const [here, elsewhere] = [await put('here'), await put('elsewhere')];
  await append(store, 'root-1', '{}');
  await append(store, 'root-2', '{}');
  time += blobGrace;
  const other = passOn(store);
  let isRead = false;
  const watched = {
    ...other,
    // The appends of other processes are heard without the name of the log.
    listenAll: (wake: (log?: string) => void) => store.listenAll(() => wake()),
    async read(log: string, ...range: [number, number?]) {
      const contents = await other.read(log, ...range);
      if (log === 'root-2' && !isRead) {
        isRead = true;
        await append(other, 'root-1', `{"blob":"${here}"}`);
        await append(other, 'root-3', `{"blob":"${elsewhere}"}`);
      }
      return contents;
    },
  };
  assert.deepEqual(await sweepBlobs({ store: watched }), { blobs: 0, bytes: 0 });
  for (const id of [here, elsewhere]) assert.ok((await store.getBlob(id)) !== undefined);
});

test('[LO32] nothing is removed while a log cannot be read, or once it is stopped', async () => {
  const { store, put } = await openStore();
  const old = await put('old');
  await append(store, 'root-1', '{}');
  time += blobGrace;
  const read = (): Promise<never> => Promise.reject(new StoreError('store-corrupt', 'damaged', 'mend it'));
  await assert.rejects(sweepBlobs({ store: { ...passOn(store), read } }), { code: 'store-corrupt' });
  await assert.rejects(sweepBlobs({ store, signal: AbortSignal.abort() }));
  assert.ok((await store.getBlob(old)) !== undefined);
});
