import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { Store } from '@loom/kernel/store';
import { texts, Writer } from '../../testing/writer.ts';
import { checkIntegrity, openSqliteStore, sizesOf } from '../index.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { readDamagedLog } from '../upkeep/damaged-log.ts';
import { remakeDatabase } from '../upkeep/remade-database.ts';
import { rewriteLogs } from '../upkeep/rewrite-log.ts';
import { format, openedFormat } from './schema.ts';

const logs = Array.from({ length: 70 }, (_, index) => `log ${index}`);
const saidIn = (log: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${log}: ${index + 1}`);

interface Crowd {
  directory: string;
  store: Store;
  writers: Writer[];
  /** Lets all writers append at once, so many times. */
  say: (times: number) => Promise<unknown>;
  countIn: (table: string) => number;
  formatNow: () => unknown;
  change: (sql: string) => void;
}

async function makeCrowd(t: TestContext, names: readonly string[]): Promise<Crowd> {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  const database = new DatabaseSync(join(directory, 'loom.db'));
  t.after(() => database.close());
  const writers = names.map((log) => new Writer(store, log));
  const sayAll = async (writer: Writer, times: number): Promise<void> => {
    for (let time = 0; time < times; time += 1) await writer.append([`${writer.log}: ${writer.seq + 1}`]);
  };
  return {
    directory,
    store,
    writers,
    say: (times) => Promise.all(writers.map((writer) => sayAll(writer, times))),
    countIn: (table) => Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']),
    formatNow: () => database.prepare('PRAGMA user_version').get()?.['user_version'],
    change: (sql) => database.exec(sql),
  };
}

test('[SQ37] records of many writers wait together, and take their places by the thousand; no reader sees a difference', async (t) => {
  const { directory, store, writers, say, countIn } = await makeCrowd(t, logs);
  await new Writer(store, 'first').append(['alone']);
  // It has read before there was a table for arrivals.
  const beside = await openSqliteStore({ directory });
  assert.deepEqual(await texts(beside, 'first'), ['alone']);

  await say(10);
  assert.deepEqual([countIn('arrivals'), countIn('records')], [700, 1]);
  for (const reader of [store, beside]) assert.deepEqual(await texts(reader, 'log 7'), saidIn('log 7', 10));
  await say(30);
  assert.deepEqual([countIn('arrivals') + countIn('records'), countIn('records') >= 1000], [2801, true]);
  assert.ok(countIn('arrivals') > 0, 'so some logs are in both places');
  for (const reader of [store, beside])
    for (const log of logs) assert.deepEqual(await texts(reader, log), saidIn(log, 40));
  assert.deepEqual(
    (await store.read('log 7', 25, 32))?.records.map(({ seq }) => seq),
    [26, 27, 28, 29, 30, 31, 32],
  );

  const epoch = writers[7]?.epoch ?? '';
  assert.equal(await store.fold('log 7', { epoch, first: 3, record: { seq: 38, text: 'the middle' } }), true);
  assert.equal(countIn('arrivals'), 0, 'a fold puts them in their places first');
  await say(1);
  assert.equal(countIn('arrivals'), 70);
  const folded = [...saidIn('log 7', 2), 'the middle', ...saidIn('log 7', 41).slice(38)];
  for (const reader of [store, beside]) assert.deepEqual(await texts(reader, 'log 7'), folded);
  const late = await beside.append('log 7', { epoch, expectedSeq: 39, records: [{ seq: 40, text: 'late' }] });
  assert.deepEqual(late.ok || late.conflict.tail, [
    { seq: 40, text: 'log 7: 40' },
    { seq: 41, text: 'log 7: 41' },
  ]);
  assert.equal(countIn('arrivals'), 0, 'so does whoever writes when the rush is over');
  await beside.close();
  await say(1);
  assert.equal(countIn('arrivals'), 70);
  await store.close();
  assert.equal(countIn('arrivals'), 0, 'and so does closing');
});

test('[SQ37] what a killed process left there is found by checking, measuring, repairing, rewriting and the next writer', async (t) => {
  const { directory, store, writers, say, countIn } = await makeCrowd(t, ['a', 'b', 'c', 'd']);
  await say(3);
  assert.equal(countIn('arrivals'), 12);
  assert.deepEqual(await checkIntegrity(directory), { logs: 4, records: 12, problems: [] });
  const bytes = saidIn('a', 3).join('').length;
  assert.deepEqual(sizesOf(directory).logs[0], { name: 'a', changes: 3, records: 3, bytes });
  assert.deepEqual(
    readDamagedLog(directory, 'c')?.records.map(({ text }) => text),
    saidIn('c', 3),
  );
  const again = await openSqliteStore({ directory });
  assert.deepEqual(await texts(again, 'd'), saidIn('d', 3));
  await new Writer(again, 'e').append(['alone']);
  assert.deepEqual([countIn('arrivals'), countIn('records')], [0, 13]);
  await again.close();
  await say(1);
  assert.equal(countIn('arrivals'), 4);
  const rewrite = { log: 'b', epoch: writers[1]?.epoch ?? '', lastSeq: 4, records: [{ seq: 4, text: 'x' }] };
  await store.close();
  rewriteLogs(directory, [rewrite]);
  const last = await openSqliteStore({ directory });
  assert.deepEqual([await texts(last, 'a'), await texts(last, 'b')], [saidIn('a', 4), ['x']]);
  await last.close();
});

test('[SQ37] a log is rewritten, and a database made anew, with records that wait', async (t) => {
  const { directory, store, writers, say, countIn, change } = await makeCrowd(t, ['a', 'b', 'c', 'd']);
  await say(3);
  await store.close();
  change('INSERT INTO arrivals (id, text) SELECT id, text FROM records; DELETE FROM records');
  rewriteLogs(directory, [
    { log: 'a', epoch: writers[0]?.epoch ?? '', lastSeq: 3, records: [{ seq: 3, text: 'purged' }] },
  ]);
  assert.deepEqual([countIn('arrivals'), countIn('records')], [9, 1]);
  await remakeDatabase(directory, 7);
  const again = await openSqliteStore({ directory });
  assert.deepEqual([await texts(again, 'a'), await texts(again, 'd')], [['purged'], saidIn('d', 3)]);
  await again.close();
});

test('[SQ37] opening, reading and few writers leave the format as it is; the first crowd raises it', async (t) => {
  const { directory, store, say, formatNow } = await makeCrowd(t, ['a', 'b', 'c']);
  await say(20);
  await Promise.all(['d', 'e', 'f', 'g'].map((log) => new Writer(store, log).append(saidIn(log, 5))));
  assert.deepEqual(await texts(store, 'a'), saidIn('a', 20));
  assert.equal(formatNow(), openedFormat);
  await Promise.all(['h', 'i', 'j', 'k'].map((log) => new Writer(store, log).append(['x'])));
  assert.equal(formatNow(), format);
  await store.close();
  const looking = await openSqliteStore({ directory, looks: 'beside-others' });
  assert.deepEqual(await texts(looking, 'k'), ['x']);
  await looking.close();
});

test('[SQ37] [SQ9] one whose place is taken is told to the reader of its log, and is in no other log’s way', async (t) => {
  const { directory, store, writers, say, countIn, change } = await makeCrowd(t, ['a', 'b', 'c', 'd']);
  await say(3);
  change('UPDATE arrivals SET id = id - 1 WHERE id & 0xffffffff = 3 AND id >> 32 = 1');
  const [first, ...others] = writers;
  await assert.rejects(store.read(first?.log ?? '', 0), { code: 'store-corrupt' });
  for (const writer of [...others, new Writer(store, 'new')]) await writer.append(['y']);
  assert.deepEqual(await texts(store, 'd'), [...saidIn('d', 3), 'y']);
  assert.equal(countIn('arrivals'), 1, 'what is kept nowhere else stays');
  await assert.rejects(store.read(first?.log ?? '', 0), { code: 'store-corrupt' });
  await store.close();
  assert.match((await checkIntegrity(directory)).problems[0]?.message ?? '', /after 2 comes 2/u);
});
