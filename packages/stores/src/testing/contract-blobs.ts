import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import type { StoreKind } from './contract.ts';
import { begin } from './writer.ts';

/** Blobs that come in pieces, are read in parts, or grow under a name. */
export function testBlobs({ name, capabilities, create }: StoreKind): void {
  const needsShared = capabilities.shared ? false : 'not shared: one handle at a time';
  const needsDurable = capabilities.durable ? false : 'not durable: nothing is left after the last handle';
  // More than the pieces that stores read and check at once.
  const bytes = Uint8Array.from({ length: 1_200_000 }, (_, index) => (index * 31 + (index >> 8)) % 256);
  const id = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
  const blob = { id, bytes: bytes.length };

  test(`[ST43] ${name}: a blob may come in pieces of any size, and is the same as one that was put`, async (t) => {
    const store = await create(t).open();
    const writer = await store.createBlob();
    const piece = bytes.slice(0, 1000);
    const first = writer.write(piece);
    piece.fill(0);
    await Promise.all([first, writer.write(new Uint8Array()), writer.write(bytes.subarray(1000, 1_100_000))]);
    assert.equal(await store.getBlob(id), undefined);
    await writer.write(bytes.subarray(1_100_000));
    const finishing = writer.finish();
    assert.deepEqual(await finishing, blob);
    assert.deepEqual(await writer.finish(), blob);
    assert.deepEqual(await store.getBlob(id), bytes);
    await assert.rejects(writer.write(piece), TypeError);
    await writer.abandon();
    assert.equal(await store.putBlob(bytes), id);
    assert.equal(await store.blobSize(id), bytes.length);
    const empty = await (await store.createBlob()).finish();
    assert.deepEqual(await store.getBlob(empty.id), new Uint8Array());
  });

  test(`[ST43] ${name}: of a blob that is abandoned nothing is left`, async (t) => {
    const store = await create(t).open();
    const writer = await store.createBlob();
    await writer.write(bytes);
    await Promise.all([writer.abandon(), writer.abandon()]);
    await assert.rejects(writer.write(bytes), TypeError);
    await assert.rejects(writer.finish(), TypeError);
    assert.equal(await store.getBlob(id), undefined);
    assert.equal(await store.blobSize(id), undefined);
  });

  test(`[ST44] ${name}: a range of a blob is its bytes from start up to end, as far as there are any`, async (t) => {
    const store = await create(t).open();
    await store.putBlob(bytes);
    const ranges: [number | undefined, number | undefined][] = [
      [undefined, undefined],
      [0, 0],
      [0, 1],
      [262_143, 262_145],
      [262_144, 524_288],
      [1_199_999, undefined],
      [1_199_990, 5_000_000],
      [1_200_000, undefined],
      [7, 3],
    ];
    for (const [start, end] of ranges) {
      const range = { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) };
      assert.deepEqual(await store.getBlob(id, range), bytes.slice(start, end), JSON.stringify(range));
    }
    for (const range of [{ start: -1 }, { end: 0.5 }, { start: Number.NaN }]) {
      await assert.rejects(store.getBlob(id, range), RangeError);
    }
    for (const other of ['', 'sha256:../loom.db', `sha256:${'0'.repeat(64)}`]) {
      assert.equal(await store.getBlob(other, { end: 1 }), undefined);
      assert.equal(await store.blobSize(other), undefined);
    }
  });

  test(`[ST53] ${name}: blobs that were not put for a while and are not cited are swept`, async (t) => {
    const data = create(t);
    const store = await data.open();
    const put = (text: string): Promise<string> => store.putBlob(new TextEncoder().encode(text));
    const [cited, old, again] = [await put('cited'), await put('old one'), await put('put again')];
    await data.passTime(1000);
    const young = await put('young');
    assert.equal(await put('put again'), again);
    const isCited = async (id: string): Promise<boolean> => id === cited;
    await assert.rejects(store.sweepBlobs({ unusedFor: Number.NaN, isCited }), RangeError);
    assert.deepEqual(await store.sweepBlobs({ unusedFor: 1001, isCited }), { blobs: 0, bytes: 0 });
    assert.deepEqual(await store.sweepBlobs({ unusedFor: 1000, isCited }), { blobs: 1, bytes: 7 });
    assert.equal(await store.getBlob(old), undefined);
    for (const id of [cited, young, again]) assert.ok((await store.getBlob(id)) !== undefined);
    assert.deepEqual(await store.sweepBlobs({ unusedFor: 1000, isCited }), { blobs: 0, bytes: 0 });
    assert.equal(await put('old one'), old);
    assert.ok((await store.getBlob(old)) !== undefined);
  });

  test(`[ST53] ${name}: the blob of a finished spool is swept only after the spool was dropped`, async (t) => {
    const data = create(t);
    const store = await data.open();
    const spool = await store.openSpool('long output');
    await spool.append(new TextEncoder().encode('not cited yet'));
    const { id } = await spool.finish();
    await data.passTime(1000);
    const sweep = { unusedFor: 1000, isCited: async (): Promise<boolean> => false };
    assert.deepEqual(await store.sweepBlobs(sweep), { blobs: 0, bytes: 0 });
    assert.deepEqual((await spool.finish()).id, id);
    await spool.drop();
    assert.deepEqual(await store.sweepBlobs(sweep), { blobs: 1, bytes: 13 });
  });

  for (const look of [1, 2]) {
    test(`[ST53] ${name}: a blob that is put or named by a record while others are swept stays (look ${look})`, async (t) => {
      const data = create(t);
      const store = await data.open();
      const put = (text: string): Promise<string> => store.putBlob(new TextEncoder().encode(text));
      const [named, again] = [await put('named'), await put('put again')];
      await data.passTime(1000);
      const looks = new Map<string, number>();
      const appends: Promise<unknown>[] = [];
      await store.sweepBlobs({
        unusedFor: 1,
        isCited: async (id) => {
          const count = (looks.get(id) ?? 0) + 1;
          looks.set(id, count);
          // A store that decides and removes in one step looks once.
          if (count < look) return false;
          if (id === named && appends.length === 0) appends.push(begin(store, 'log', [`{"blob":"${id}"}`]));
          if (id === again) await put('put again');
          return false;
        },
      });
      await Promise.all(appends);
      const isLookedAt = (id: string): boolean => (looks.get(id) ?? 0) >= look;
      for (const id of [named, again]) assert.equal((await store.getBlob(id)) !== undefined, isLookedAt(id));
    });
  }

  test(`[ST45] ${name}: a spool grows, is read while it does, and becomes a blob`, async (t) => {
    const store = await create(t).open();
    const spool = await store.openSpool('root-1/node-2 stdout');
    assert.deepEqual(await store.spools(), ['root-1/node-2 stdout']);
    const piece = bytes.slice(0, 1000);
    const appends = [spool.append(piece), spool.append(bytes.subarray(1000))];
    // From then on the array is the caller's again.
    void appends[0]?.then(() => piece.fill(0));
    assert.equal(spool.size, bytes.length);
    assert.deepEqual(await spool.read({ start: 999, end: 1001 }), bytes.slice(999, 1001));
    await Promise.all(appends);
    await spool.sync();
    assert.deepEqual(await spool.read(), bytes);
    await assert.rejects(spool.read({ start: -1 }), RangeError);
    assert.equal(await store.getBlob(id), undefined);
    assert.deepEqual(await spool.finish(), blob);
    assert.deepEqual(await store.getBlob(id), bytes);
    await assert.rejects(spool.append(piece), TypeError);
    assert.deepEqual(await spool.read({ start: 5, end: 9 }), bytes.slice(5, 9));
  });

  test(`[ST46] ${name}: a finished spool names its blob until it is dropped, for every later opener`, async (t) => {
    const store = await create(t).open();
    const first = await store.openSpool('out');
    await first.append(bytes);
    await first.finish();
    const second = await store.openSpool('out');
    assert.equal(second.size, bytes.length);
    assert.deepEqual(await second.finish(), blob);
    assert.deepEqual(await second.read({ end: 3 }), bytes.slice(0, 3));
    await assert.rejects(second.append(bytes), TypeError);
    assert.deepEqual(await store.spools(), ['out']);
    await second.drop();
    await second.drop();
    assert.deepEqual(await store.spools(), []);
    assert.equal((await store.openSpool('out')).size, 0);
    assert.deepEqual(await store.getBlob(id), bytes);
  });

  test(`[ST45] ${name}: a spool that is dropped is gone`, async (t) => {
    const store = await create(t).open();
    const spool = await store.openSpool('out');
    await spool.append(bytes);
    await spool.drop();
    await assert.rejects(spool.append(bytes), TypeError);
    assert.deepEqual(await store.spools(), []);
    assert.equal((await store.openSpool('out')).size, 0);
  });

  test(`[ST47] ${name}: the last to open a spool has it, with all that was acknowledged before`, async (t) => {
    const data = create(t);
    const store = await data.open();
    const other = capabilities.shared ? await data.open() : store;
    const first = await store.openSpool('out');
    await first.append(bytes.subarray(0, 500_000));
    const second = await other.openSpool('out');
    assert.equal(second.size, 500_000);
    await first.append(Uint8Array.of(1, 2, 3)).catch(() => undefined);
    await second.append(bytes.subarray(500_000));
    await first.append(Uint8Array.of(4)).catch(() => undefined);
    await first.finish().catch(() => undefined);
    await first.drop().catch(() => undefined);
    assert.deepEqual(await second.finish(), blob);
    assert.deepEqual(await store.getBlob(id), bytes);
  });

  test(`[ST48] ${name}: any text of up to 200 characters is the name of a spool, and of no other`, async (t) => {
    const store = await create(t).open();
    const names = ['a', 'a.1.bytes', 'b/../c', 'blobs', '%61', 'ä \0', '.', 'x'.repeat(200)];
    for (const [index, spool] of names.entries()) await (await store.openSpool(spool)).append(Uint8Array.of(index));
    assert.deepEqual(await store.spools(), [...names].sort());
    for (const [index, spool] of names.entries()) {
      assert.deepEqual(await (await store.openSpool(spool)).read(), Uint8Array.of(index));
    }
    await assert.rejects(store.openSpool(''), TypeError);
    await assert.rejects(store.openSpool('\ud800'), TypeError);
    await assert.rejects(store.openSpool('x'.repeat(201)), RangeError);
  });

  test(`[ST28] ${name}: spools are there when the store is opened again`, { skip: needsDurable }, async (t) => {
    const data = create(t);
    const before = await data.open();
    const [first, second] = [await before.openSpool('first'), await before.openSpool('second')];
    await first.append(bytes.subarray(0, 700_000));
    await second.append(bytes);
    await second.finish();
    await before.close();
    const after = await data.open();
    assert.deepEqual(await after.spools(), ['first', 'second']);
    const again = await after.openSpool('first');
    assert.deepEqual(await again.read(), bytes.slice(0, 700_000));
    await again.append(bytes.subarray(700_000));
    assert.deepEqual(await again.finish(), blob);
    assert.deepEqual(await (await after.openSpool('second')).finish(), blob);
  });

  test(`[ST26] ${name}: what writes blobs ends with its store`, { skip: needsShared && needsDurable }, async (t) => {
    const data = create(t);
    const store = await data.open();
    const [writer, spool] = [await store.createBlob(), await store.openSpool('out')];
    const writes = [writer.write(bytes), spool.append(bytes)];
    await store.close();
    await Promise.all(writes);
    for (const call of [
      () => writer.write(bytes),
      () => writer.finish(),
      () => spool.append(bytes),
      () => spool.sync(),
      () => spool.read(),
      () => spool.finish(),
      () => spool.drop(),
    ]) {
      await assert.rejects(call(), isClosed);
    }
    await assertLeft(await data.open());
  });

  /** The spool and nothing of the blob. */
  async function assertLeft(store: Store): Promise<void> {
    assert.equal(await store.getBlob(id), undefined);
    assert.deepEqual(await store.spools(), ['out']);
    assert.deepEqual(await (await store.openSpool('out')).read(), bytes);
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'store-closed';
}
