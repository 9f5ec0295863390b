import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Store } from '@loom/kernel/store';
import type { StoreKind } from './contract.ts';
import { begin, request, texts, Writer } from './writer.ts';

const other = [
  { seq: 1, text: 'uno' },
  { seq: 3, text: 'due e tre' },
];

/** A log of three records with a head and a projection; returns its epoch. */
async function furnish(store: Store, log: string): Promise<string> {
  const epoch = await begin(store, log, ['one', 'two']);
  await store.append(log, { ...request(epoch, 2, ['three']), head: { time: 1, text: 'three' } });
  await project(store, log, epoch);
  return epoch;
}

function project(store: Store, log: string, epoch: string): Promise<boolean> {
  const put = [{ key: 'k', text: 'three' }];
  return store.writeProjection(log, 'state', { epoch, seq: 3, base: undefined, put, drop: [] });
}

/** Logs whose records are replaced as a whole. */
export function testRewriting({ name, create }: StoreKind): void {
  test(`[ST64] ${name}: rewritten logs have other records under other epochs, and nothing that was made of them; others stay`, async (t) => {
    const place = create(t);
    const store = await place.open();
    const epochs = { a: await furnish(store, 'a'), b: await furnish(store, 'b') };
    const kept = await furnish(store, 'c');
    const rewrites = (['a', 'b'] as const).map((log) => ({ log, epoch: epochs[log], lastSeq: 3, records: other }));
    assert.equal(await store.rewrite(rewrites), true);
    const after = await store.read('a', 0);
    assert.deepEqual(after?.records, other);
    assert.notEqual(after?.epoch, epochs.a);
    assert.notEqual((await store.read('b', 0))?.epoch, epochs.b);
    assert.equal(await store.readProjection('a', 'state'), undefined);
    assert.deepEqual(await store.heads({ order: 'name', limit: 2 }), [{ log: 'a' }, { log: 'b' }]);
    assert.deepEqual(await texts(store, 'c'), ['one', 'two', 'three']);
    assert.equal((await store.readProjection('c', 'state'))?.epoch, kept);
    const epoch = after?.epoch ?? '';
    assert.deepEqual(await store.append('a', request(epoch, 3, ['quattro'])), { ok: true, epoch });
    await store.close();
    if (!store.capabilities.durable) return;
    const again = await place.open();
    assert.deepEqual(await texts(again, 'a'), ['uno', 'due e tre', 'quattro']);
    assert.equal(await again.readProjection('b', 'state'), undefined);
  });

  test(`[ST64] ${name}: where one log is another than its rewriter knows none is rewritten`, async (t) => {
    const store = await create(t).open();
    const [one, two] = [await furnish(store, 'a'), await furnish(store, 'b')];
    const good = { log: 'a', epoch: one, lastSeq: 3, records: other };
    for (const bad of [
      { log: 'b', epoch: one, lastSeq: 3, records: other },
      { log: 'b', epoch: two, lastSeq: 2, records: [{ seq: 2, text: 'x' }] },
      { log: 'none', epoch: two, lastSeq: 3, records: other },
    ]) {
      assert.equal(await store.rewrite([good, bad]), false);
    }
    const isMistake = (error: unknown): boolean => error instanceof RangeError || error instanceof TypeError;
    for (const records of [[], other.slice(0, 1), [...other].reverse(), [{ seq: 3, text: '\ud800' }]]) {
      await assert.rejects(store.rewrite([good, { log: 'b', epoch: two, lastSeq: 3, records }]), isMistake);
    }
    assert.deepEqual(await store.read('a', 0), {
      epoch: one,
      records: request(one, 0, ['one', 'two', 'three']).records,
    });
    assert.equal((await store.readProjection('a', 'state'))?.seq, 3);
  });

  test(`[ST64] ${name}: writers, listeners and makers of projections find out that a log was rewritten`, async (t) => {
    const store = await create(t).open();
    const epoch = await furnish(store, 'a');
    // It may be called too often, and without a seq.
    const woken = Promise.all([
      new Promise<number | undefined>((resolve) => void store.listen('a', resolve)),
      new Promise<string | undefined>((resolve) => void store.listenAll(resolve)),
    ]);
    const rewriting = store.rewrite([{ log: 'a', epoch, lastSeq: 3, records: other }]);
    // They come while it is going on, and are done before it or refused after it.
    const projections = await Promise.all([project(store, 'a', epoch), rewriting, project(store, 'a', epoch)]);
    assert.equal(projections[1], true);
    assert.equal((await woken)[0], undefined);
    assert.equal(await store.readProjection('a', 'state'), undefined);
    assert.equal(await project(store, 'a', epoch), false);
    assert.equal(await store.fold('a', { epoch, first: 1, record: { seq: 3, text: 'one, two, three' } }), false);
    const appended = await store.append('a', request(epoch, 3, ['four']));
    assert.deepEqual(appended.ok || appended.conflict.tail, other, 'who knew the old one is told all of the new one');
  });

  test(`[ST64] ${name}: what is appended while logs are rewritten is there afterwards, or the log was left as it was`, async (t) => {
    const store = await create(t).open();
    const writer = new Writer(store, 'a');
    const write = async (): Promise<void> => {
      for (let count = 0; count < 40; count += 1) await writer.append([`t${count}`]);
    };
    const rewrite = async (): Promise<boolean> => {
      const { epoch = '', records = [] } = (await store.read('a', 0)) ?? {};
      const upper = records.map(({ seq, text }) => ({ seq, text: text.toUpperCase() }));
      return store.rewrite([{ log: 'a', epoch, lastSeq: upper.length, records: upper }]);
    };
    await writer.append(['t']);
    const writing = write();
    // Not for as long as it writes: each would keep the other from ever being first.
    for (let count = 0; count < 10; count += 1) await rewrite();
    await writing;
    assert.equal(await rewrite(), true);
    const found = (await texts(store, 'a')) ?? [];
    assert.deepEqual(found, ['T', ...Array.from({ length: 40 }, (_, index) => `T${index}`)]);
  });
}
