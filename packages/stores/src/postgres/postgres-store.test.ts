import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Client } from 'pg';
import { isAboutOneLog, StoreError } from '@loom/kernel/store';
import { keptAlive } from '../testing/kept-alive.ts';
import { begin, request, texts, Writer } from '../testing/writer.ts';
import { channelOf, openPostgresStore } from './open.ts';
import { noDatabase, testSchema } from './testing/database.ts';

const skip = noDatabase;

/** Ends the connections of some stores, as a restart or a broken network does. */
const endConnections = 'SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = $1';

test(
  '[PG5] a connection that is lost fails what was under way with a typed error, and the next call works',
  { skip },
  async (t) => {
    const schema = await testSchema(t);
    const store = await schema.open();
    const epoch = await begin(store, 'a', ['one']);
    await schema.query(`CREATE OR REPLACE FUNCTION loom.now_ms() RETURNS double precision LANGUAGE sql VOLATILE AS
    $$ SELECT 1::double precision FROM pg_sleep(600) $$`);
    const failed = assert.rejects(
      store.lease('turn', 'one', 1000),
      (error) => error instanceof StoreError && error.code === 'store-failed',
    );
    const isUnderWay = `SELECT true FROM pg_stat_activity WHERE application_name = $1 AND query LIKE '%leases%'`;
    while ((await schema.query(isUnderWay, [`loom ${schema.name}`])).length === 0);
    await schema.query(endConnections, [`loom ${schema.name}`]);
    await failed;
    assert.deepEqual(await store.append('a', request(epoch, 1, ['two'])), { ok: true, epoch });
  },
);

test('[PG4] a handle whose listening connection was lost hears of what was appended meanwhile', { skip }, async (t) => {
  const schema = await testSchema(t);
  const [writer, reader] = [await schema.open(), await schema.open()];
  const epoch = await begin(writer, 'a', ['one']);
  let woken = Promise.withResolvers<void>();
  reader.listen('a', () => woken.resolve());
  await schema.query(endConnections, [`loom signals ${schema.name}`]);
  woken = Promise.withResolvers<void>();
  await writer.append('a', request(epoch, 1, ['two']));
  await keptAlive(woken.promise, 'no listener heard of the append');
  assert.deepEqual(await texts(reader, 'a'), ['one', 'two']);
});

test('[PG4] what a process has committed that could tell no other is found by looking', { skip }, async (t) => {
  const schema = await testSchema(t);
  const [writer, reader] = [await schema.open(), await schema.open()];
  await begin(writer, 'a', ['one']);
  const woken = Promise.withResolvers<void>();
  const wokenByAny = Promise.withResolvers<void>();
  // The first look learns where the log ends.
  const learned = Promise.withResolvers<void>();
  const stop = reader.listen('a', () => learned.resolve());
  await keptAlive(learned.promise, 'nobody looked');
  stop();
  reader.listen('a', () => woken.resolve());
  reader.listenAll(() => wokenByAny.resolve());
  // As a process does that is killed right after its commit.
  await schema.query(
    `WITH moved AS (UPDATE loom.logs SET last_seq = 2) INSERT INTO loom.records SELECT log, 2, 2, 'two' FROM loom.logs`,
  );
  await keptAlive(Promise.all([woken.promise, wokenByAny.promise]), 'nobody looked');
  assert.deepEqual(await texts(reader, 'a'), ['one', 'two']);
});

test('[PG3] many appends share notifications, which come from a connection of their own', { skip }, async (t) => {
  const schema = await testSchema(t);
  const [writer, reader] = [await schema.open(), await schema.open()];
  const listener = new Client({ connectionString: schema.server });
  t.after(() => listener.end());
  await listener.connect();
  await listener.query(`LISTEN ${channelOf(schema.name)}`);
  const senders: number[] = [];
  listener.on('notification', ({ processId }) => senders.push(processId));
  const seen = new Set<string>();
  const all = Promise.withResolvers<void>();
  reader.listenAll((log) => {
    if (log !== undefined && seen.add(log).size === 300) all.resolve();
  });
  await Promise.all(Array.from({ length: 300 }, (_, index) => begin(writer, `log ${index}`, ['one'])));
  await keptAlive(all.promise, 'not all logs were named');
  await listener.query('SELECT 1');
  const rows = await schema.query('SELECT pid FROM pg_stat_activity WHERE application_name = $1', [
    `loom signals ${schema.name}`,
  ]);
  const own = new Set(rows.map(({ pid }) => pid));
  assert.ok(senders.length > 0 && senders.length < 300, `${senders.length} notifications of 300 appends`);
  assert.ok(senders.every((sender) => own.has(sender)));
});

test(
  '[PG7] a log that a newer Loom has written to is left alone and named, and the others are there',
  { skip },
  async (t) => {
    const schema = await testSchema(t);
    const [newer, older] = [await schema.open({ newestFormat: 99 }), await schema.open()];
    const epoch = await begin(newer, 'a', ['one']);
    await begin(newer, 'b', ['one']);
    const writer = new Writer(older, 'a');
    await writer.append(['two']).then(() => assert.equal(writer.seq, 2));
    assert.equal((await newer.append('a', { ...request(epoch, 2, ['three']), format: 99 })).ok, true);
    const isNewer = (error: unknown): boolean =>
      isAboutOneLog(error) && error.code === 'store-newer' && /99/u.test(error.message);
    await assert.rejects(older.read('a', 0), isNewer);
    await assert.rejects(older.append('a', request(epoch, 2, ['x'])), isNewer);
    await assert.rejects(older.append('a', request(undefined, 0, ['x'])), isNewer);
    assert.deepEqual(await texts(older, 'b'), ['one']);
    assert.deepEqual(await texts(newer, 'a'), ['one', 'two', 'three']);
    await newer.append('a', request(epoch, 3, ['four']));
    await assert.rejects(older.read('a', 3), isNewer, 'a number is never lowered');
  },
);

test(
  '[PG8] of processes that start together one makes the tables, and newer tables are refused',
  { skip },
  async (t) => {
    const schema = await testSchema(t);
    const stores = await Promise.all(Array.from({ length: 6 }, () => schema.open()));
    await Promise.all(stores.map((store, index) => begin(store, `log ${index}`, ['x'])));
    assert.equal((await stores[0]?.logs())?.length, 6);
    await schema.query('UPDATE loom.format SET number = 99');
    await assert.rejects(
      openPostgresStore({ url: schema.url }),
      (error) => error instanceof StoreError && error.code === 'store-newer' && /99/u.test(error.message),
    );
    assert.deepEqual(await schema.query('SELECT number FROM loom.format'), [{ number: 99 }]);
  },
);

test('[PG10] stores of two schemas know nothing of each other', { skip }, async (t) => {
  const [one, other] = [await testSchema(t), await testSchema(t)];
  const [mine, theirs] = [await one.open(), await other.open()];
  const told: string[] = [];
  theirs.listenAll(() => told.push('append'));
  theirs.hear('presence', (text) => told.push(text));
  const epoch = await begin(mine, 'a', ['one']);
  mine.announce('presence', 'mine');
  const blob = await mine.putBlob(Buffer.from('mine'));
  await mine.putOnce('code', 'mine', 1000);
  await mine.lease('turn/a/1', 'one', 1000);
  await (await mine.openSpool('out')).append(Buffer.from('x'));
  await mine.writeProjection('a', 'p', { epoch, seq: 1, base: undefined, put: [], drop: [] });
  assert.deepEqual(
    [
      await theirs.logs(),
      await theirs.heads({ order: 'name', limit: 9 }),
      await theirs.read('a', 0),
      await theirs.readProjection('a', 'p'),
      await theirs.leases(''),
      await theirs.spools(),
      await theirs.getBlob(blob),
      await theirs.takeOnce('code'),
      await theirs.lease('turn/a/1', 'two', 1),
    ],
    [[], [], undefined, undefined, [], [], undefined, undefined, true],
  );
  // Something of their own that comes later than what they must not hear.
  const heard = Promise.withResolvers<void>();
  theirs.hear('last', () => heard.resolve());
  (await other.open()).announce('last', '');
  await keptAlive(heard.promise, 'their own announcement was not heard');
  assert.deepEqual(told, []);
});

test('[PG11] names and keys of any length are kept apart, also where they begin alike', { skip }, async (t) => {
  const store = await (await testSchema(t)).open();
  const beginning = Array.from({ length: 3000 }, (_, index) =>
    String.fromCodePoint(0x4e00 + ((index * 7919) % 20_000)),
  ).join('');
  const names = ['1', '2', '', 'x'.repeat(9000)].map((end) => `${beginning}${end}`);
  for (const log of names) {
    const epoch = await begin(store, log, [`in ${log.length}`]);
    const put = names.map((key) => ({ key, text: `${key.length}` }));
    assert.equal(await store.writeProjection(log, log, { epoch, seq: 1, base: undefined, put, drop: [] }), true);
    await store.lease(log, log, 1000);
    await store.putOnce(log, log, 60_000);
  }
  assert.deepEqual(await store.logs(), names.toSorted());
  assert.equal((await store.heads({ order: 'name', limit: 2 })).length, 2);
  for (const log of names) {
    assert.deepEqual(await texts(store, log), [`in ${log.length}`]);
    assert.equal((await store.readProjection(log, log, `${beginning}x`))?.parts.length, 1);
    assert.equal((await store.readProjection(log, log))?.parts.length, 4);
    assert.equal(await store.takeOnce(log), log);
  }
  assert.equal((await store.leases(`${beginning}1`)).length, 1);
});

test('[PG13] a log whose rows were deleted is named as damaged, and the others are there', { skip }, async (t) => {
  const schema = await testSchema(t);
  const store = await schema.open();
  const epoch = await begin(store, 'a', ['one', 'two', 'three']);
  await begin(store, 'b', ['one']);
  const isDamage = (error: unknown): boolean => isAboutOneLog(error) && error.code === 'store-corrupt';
  for (const seq of [3, 2, 1]) {
    await schema.query(`DELETE FROM loom.records WHERE log = 'a' AND seq = $1`, [seq]);
    await assert.rejects(store.read('a', 0), isDamage);
  }
  await schema.query(`INSERT INTO loom.records VALUES ('a', 4, 4, 'from nowhere')`);
  const [damaged, sound] = await Promise.allSettled([
    store.append('a', request(epoch, 3, ['x'])),
    begin(store, 'c', ['one']),
  ]);
  assert.ok(damaged.status === 'rejected' && isDamage(damaged.reason));
  assert.equal(sound.status, 'fulfilled');
  assert.deepEqual(await texts(store, 'b'), ['one']);
});

test('[PG14] what is left of a blob whose process was killed is swept after a day', { skip }, async (t) => {
  const schema = await testSchema(t);
  const store = await schema.open();
  await schema.freeze();
  const writer = await store.createBlob();
  await writer.write(new Uint8Array(3_000_000));
  const count = async (): Promise<unknown> =>
    (await schema.query('SELECT count(*)::integer AS n FROM loom.pieces'))[0]?.['n'];
  assert.equal(await count(), 2);
  const sweep = { unusedFor: 1, isCited: async (): Promise<boolean> => true };
  await schema.passTime(24 * 60 * 60_000 - 1);
  await store.sweepBlobs(sweep);
  assert.equal(await count(), 2);
  await schema.passTime(1);
  await store.sweepBlobs(sweep);
  assert.equal(await count(), 0);
  await assert.rejects(writer.finish(), StoreError);
});

test('[PG15] a piece of a blob that was changed or deleted is damage, and never handed out', { skip }, async (t) => {
  const schema = await testSchema(t);
  const store = await schema.open();
  const small = await store.putBlob(Buffer.from('small'));
  const bytes = new Uint8Array(2_500_000).fill(7);
  const large = await store.putBlob(bytes);
  await schema.query(`UPDATE loom.pieces SET bytes = set_byte(bytes, 0, 9) WHERE start = 1048576`);
  assert.deepEqual(await store.getBlob(large, { end: 1000 }), bytes.slice(0, 1000));
  for (const range of [{ start: 2_000_000, end: 2_000_001 }, {}]) {
    await assert.rejects(
      store.getBlob(large, range),
      (error) => error instanceof StoreError && error.code === 'store-corrupt',
    );
  }
  await schema.query('DELETE FROM loom.pieces WHERE size = 5');
  await assert.rejects(store.getBlob(small), (error) => error instanceof StoreError && error.code === 'store-corrupt');
});

test('[PG16] of several that replace a document one does, and the others are told', { skip }, async (t) => {
  const schema = await testSchema(t);
  const [one, other] = [await schema.open(), await schema.open()];
  assert.equal(await one.readDocument('tokens'), undefined);
  const race = async (version: number): Promise<number> => {
    const wins = await Promise.all(
      [one, other, one, other].map((store, index) => store.writeDocument('tokens', { version, text: `${index}\0` })),
    );
    return wins.filter(Boolean).length;
  };
  assert.deepEqual([await race(0), await race(0), await race(1), await race(7)], [1, 0, 1, 0]);
  const read = await other.readDocument('tokens');
  assert.equal(read?.version, 2);
  assert.match(read.text, /^[0-3]\0$/u);
});
