import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { begin, request, texts, Writer } from '../testing/writer.ts';
import type { AppendFault } from './index.ts';
import { createMemoryStore, withFaults } from './index.ts';

const failed = (error: unknown): boolean => error instanceof StoreError && error.code === 'store-failed';

test('[ME4] the planned append fails before or after it took effect, all others go through', async () => {
  const memory = createMemoryStore();
  const faults: (AppendFault | undefined)[] = [undefined, 'fail-before', 'fail-after', undefined];
  const store = withFaults(memory, ({ number }) => faults[number - 1]);
  const epoch = await begin(store, 'a', ['one']);
  await assert.rejects(store.append('a', request(epoch, 1, ['two'])), failed);
  assert.deepEqual(await texts(memory, 'a'), ['one']);
  await assert.rejects(store.append('a', request(epoch, 1, ['two'])), failed);
  assert.deepEqual(await texts(memory, 'a'), ['one', 'two']);
  assert.deepEqual(await store.append('a', request(epoch, 2, ['three'])), { ok: true, epoch });
});

test('[ME5] a forced conflict writes nothing and shows the true tail; on a log that does not exist there is none', async () => {
  const memory = createMemoryStore();
  const store = withFaults(memory, () => 'conflict');
  const epoch = await begin(store, 'a', ['one', 'two']);
  assert.deepEqual(await store.append('a', request(epoch, 2, ['x'])), { ok: false, conflict: { epoch, tail: [] } });
  const behind = await store.append('a', request(epoch, 1, ['x']));
  assert.deepEqual(behind, { ok: false, conflict: { epoch, tail: [{ seq: 2, text: 'two' }] } });
  const other = await store.append('a', request(undefined, 0, ['x']));
  assert.ok(!other.ok && other.conflict.tail.length === 2);
  assert.deepEqual(await texts(memory, 'a'), ['one', 'two']);
});

test('[ME6] a plan sees each append and may let another writer go first', async () => {
  const memory = createMemoryStore();
  const rival = new Writer(memory, 'a');
  const calls: string[] = [];
  const store = withFaults(memory.share(), async ({ number, log, request: { expectedSeq } }) => {
    calls.push(`${number} ${log} ${expectedSeq}`);
    if (number < 3) await rival.append([`rival ${number}`]);
    return undefined;
  });
  assert.equal(await new Writer(store, 'a').append(['mine']), 3);
  assert.deepEqual(calls, ['1 a 0', '2 a 1', '3 a 2']);
  assert.deepEqual(await texts(memory, 'a'), ['rival 1', 'rival 2', 'mine']);
});

test('[ME7] everything but append is the store itself', async () => {
  const memory = createMemoryStore({ now: () => 0 });
  const store = withFaults(memory.share(), () => undefined);
  let wakes = 0;
  const stop = store.listen('a', () => (wakes += 1));
  await begin(memory, 'a', ['one']);
  assert.equal(wakes, 1);
  stop();
  assert.deepEqual(
    [await store.logs(), await texts(store, 'a'), store.capabilities],
    [['a'], ['one'], memory.capabilities],
  );
  assert.equal(await store.lease('turn', 'one', 1), true);
  assert.equal(await memory.lease('turn', 'two', 1), false);
  await store.release('turn', 'one');
  assert.equal(await memory.lease('turn', 'two', 1), true);
  assert.notEqual(await store.nextClientId(), await memory.nextClientId());
  const bytes = new Uint8Array([1, 2]);
  assert.deepEqual(await memory.getBlob(await store.putBlob(bytes)), bytes);
  assert.deepEqual(await store.getBlob(await memory.putBlob(bytes)), bytes);
  await store.close();
  await assert.rejects(store.logs(), { code: 'store-closed' });
});
