import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import type { StoreKind } from './contract.ts';
import { begin, request, texts } from './writer.ts';

/** Blobs, closing and opening again. */
export function testLifetime({ name, capabilities, create }: StoreKind): void {
  const needsShared = capabilities.shared ? false : 'not shared: one handle at a time';
  const needsDurable = capabilities.durable ? false : 'not durable: nothing is left after the last handle';
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 31) % 256);

  test(`[ST23] ${name}: a blob is kept under the hash of its bytes, any number of times`, async (t) => {
    const store = await create(t).open();
    const id = await store.putBlob(bytes);
    assert.equal(id, `sha256:${createHash('sha256').update(bytes).digest('hex')}`);
    assert.deepEqual(await store.getBlob(id), bytes);
    assert.deepEqual(new Set(await Promise.all([1, 2, 3].map(() => store.putBlob(bytes)))), new Set([id]));
    assert.deepEqual(await store.getBlob(id), bytes);
    const empty = await store.putBlob(new Uint8Array());
    assert.deepEqual(await store.getBlob(empty), new Uint8Array());
  });

  test(`[ST11] ${name}: nor does changing the bytes of a blob`, async (t) => {
    const store = await create(t).open();
    const given = Uint8Array.from(bytes);
    const put = store.putBlob(given);
    given.fill(0);
    const id = await put;
    (await store.getBlob(id))?.fill(1);
    assert.deepEqual(await store.getBlob(id), bytes);
  });

  test(`[ST24] ${name}: an id that names no blob gives undefined, whatever it looks like`, async (t) => {
    const store = await create(t).open();
    const id = await store.putBlob(bytes);
    for (const other of [
      `sha256:${'0'.repeat(64)}`,
      id.toUpperCase(),
      id.slice(7),
      `${id}/`,
      'sha256:../loom.db',
      '',
    ]) {
      assert.equal(await store.getBlob(other), undefined);
    }
  });

  test(`[ST25] ${name}: closing settles what is under way, and may be done twice`, async (t) => {
    const store = await create(t).open();
    const results: unknown[] = [];
    const note = async (work: Promise<unknown>): Promise<void> => void results.push(await work);
    const underWay = [
      note(begin(store, 'a', ['one'])),
      note(begin(store, 'b', ['one'])),
      note(store.read('c', 0)),
      note(store.putBlob(bytes)),
    ];
    await Promise.all([store.close(), store.close()]);
    assert.equal(results.length, 4);
    await store.close();
    await Promise.all(underWay);
  });

  test(`[ST26] ${name}: a closed store answers everything with store-closed, and wakes no listener`, async (t) => {
    const data = create(t);
    const store = await data.open();
    let wakes = 0;
    const stop = store.listen('a', () => (wakes += 1));
    store.listenAll(() => (wakes += 1));
    const last = begin(store, 'a', ['one']);
    const closing = store.close();
    await Promise.all([last, closing]);
    stop();
    const closed = (error: unknown): boolean => error instanceof StoreError && error.code === 'store-closed';
    const calls = [
      () => store.logs(),
      () => store.read('a', 0),
      () => store.append('a', request(undefined, 0, ['x'])),
      () => store.readProjection('a', 'state'),
      () => store.heads({ order: 'name', limit: 1 }),
      () => store.writeProjection('a', 'state', { epoch: '', seq: 0, base: undefined, put: [], drop: [] }),
      () => store.lease('turn', 'one', 1),
      () => store.release('turn', 'one'),
      () => store.leases(''),
      () => store.putOnce('code', 'x', 1),
      () => store.takeOnce('code'),
      () => store.nextClientId(),
      () => store.putBlob(bytes),
      () => store.getBlob('sha256:'),
      () => store.blobSize('sha256:'),
      () => store.createBlob(),
      () => store.openSpool('out'),
      () => store.spools(),
    ];
    for (const call of calls) await assert.rejects(call(), closed);
    assert.throws(() => store.listen('a', () => undefined), closed);
    assert.throws(() => store.listenAll(() => undefined), closed);
    assert.throws(() => store.hear('presence', () => undefined), closed);
    assert.throws(() => store.announce('presence', ''), closed);
    assert.equal(wakes, 0);
  });

  test(`[ST27] ${name}: closing one handle leaves the others working`, { skip: needsShared }, async (t) => {
    const data = create(t);
    const [first, second] = [await data.open(), await data.open()];
    const epoch = await begin(first, 'a', ['one']);
    await first.close();
    assert.deepEqual(await second.append('a', request(epoch, 1, ['two'])), { ok: true, epoch });
    assert.deepEqual(await texts(second, 'a'), ['one', 'two']);
  });

  test(
    `[ST28] ${name}: what was acknowledged is there when the store is opened again`,
    { skip: needsDurable },
    async (t) => {
      const data = create(t);
      const before = await data.open();
      const epoch = await begin(before, 'a', ['one', 'two']);
      await before.lease('turn', 'one', 1000);
      const clientIds = [await before.nextClientId(), await before.nextClientId()];
      await before.putOnce('taken', 'x', 1000);
      await before.putOnce('left', 'who', 1000);
      await before.takeOnce('taken');
      const blob = await before.putBlob(bytes);
      await before.close();
      const after = await data.open();
      assert.deepEqual(await after.logs(), ['a']);
      assert.deepEqual(await after.read('a', 1), { epoch, records: [{ seq: 2, text: 'two' }] });
      assert.deepEqual(await after.append('a', request(epoch, 2, ['three'])), { ok: true, epoch });
      assert.equal(await after.lease('turn', 'two', 1000), false);
      assert.ok(!clientIds.includes(await after.nextClientId()));
      assert.equal(await after.takeOnce('taken'), undefined);
      assert.equal(await after.takeOnce('left'), 'who');
      assert.equal(await after.takeOnce('left'), undefined);
      assert.deepEqual(await after.getBlob(blob), bytes);
    },
  );
}
