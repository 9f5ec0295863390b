import assert from 'node:assert/strict';
import { test } from 'node:test';
import { testStoreContract } from '../testing/contract.ts';
import { begin, texts } from '../testing/writer.ts';
import { createMemoryStore } from './index.ts';

testStoreContract({
  name: 'memory',
  capabilities: { durable: false, shared: true },
  create() {
    let now = 1000;
    const store = createMemoryStore({ now: () => now });
    return {
      open: () => Promise.resolve(store.share()),
      passTime: (milliseconds) => void (now += milliseconds),
    };
  },
});

test('[ME1] with the same clock and ids two runs are equal in every answer', async () => {
  const run = async (): Promise<unknown[]> => {
    let count = 0;
    const store = createMemoryStore({ now: () => 5, randomId: () => `epoch-${(count += 1)}` });
    return [
      await begin(store, 'a', ['one']),
      await begin(store, 'b', ['one']),
      await store.nextClientId(),
      await store.nextClientId(),
      await store.lease('turn', 'one', 0),
      await store.lease('turn', 'two', 1),
      await store.lease('turn', 'three', 1),
    ];
  };
  const first = await run();
  assert.deepEqual(first, ['epoch-1', 'epoch-2', 2, 3, true, true, false]);
  assert.deepEqual(await run(), first);
});

test('[ME2] a handle can be shared again after it is closed, with all that was written', async () => {
  const store = createMemoryStore();
  const blob = await store.putBlob(new Uint8Array([1]));
  await begin(store, 'a', ['one']);
  await store.close();
  const next = store.share();
  assert.deepEqual(await texts(next, 'a'), ['one']);
  assert.deepEqual(await next.getBlob(blob), new Uint8Array([1]));
  assert.equal(await createMemoryStore().read('a', 0), undefined);
});

test('[ME3] an append has happened when the call returns, before its answer is awaited', async () => {
  const store = createMemoryStore();
  const append = begin(store, 'a', ['one']);
  const read = texts(store, 'a');
  assert.deepEqual(await read, ['one']);
  await append;
});
