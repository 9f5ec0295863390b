import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { texts, Writer } from '../testing/writer.ts';
import { checkIntegrity, openSqliteStore, sizesOf } from './index.ts';
import { rewriteLogs } from './upkeep/rewrite-log.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const logs = Array.from({ length: 70 }, (_, index) => `log ${index}`);
const saidIn = (log: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => `${log}: ${index + 1}`);

test('[SQ29] new records wait together and are put among the others by the thousand; no reader sees a difference', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  using database = new DatabaseSync(join(directory, 'loom.db'));
  const countIn = (table: string): number =>
    Number(database.prepare(`SELECT count(*) AS count FROM ${table}`).get()?.['count']);
  const writers = logs.map((log) => new Writer(store, log));
  const say = (times: number): Promise<void[]> =>
    Promise.all(
      writers.map(async (writer) => {
        for (let time = 0; time < times; time += 1) await writer.append([`${writer.log}: ${writer.seq + 1}`]);
      }),
    );

  await say(10);
  assert.deepEqual([countIn('arrivals'), countIn('records')], [700, 0]);
  await say(30);
  assert.deepEqual([countIn('arrivals') + countIn('records'), countIn('records') >= 1000], [2800, true]);
  assert.ok(countIn('arrivals') > 0, 'so some logs are in both places');
  for (const log of logs) assert.deepEqual(await texts(store, log), saidIn(log, 40));
  assert.deepEqual(
    (await store.read('log 7', 25, 32))?.records.map(({ seq }) => seq),
    [26, 27, 28, 29, 30, 31, 32],
  );

  const epoch = writers[7]?.epoch ?? '';
  assert.equal(await store.fold('log 7', { epoch, first: 3, record: { seq: 38, text: 'the middle' } }), true);
  assert.equal(countIn('arrivals'), 0, 'when the rush is over they are put in order');
  await say(1);
  assert.equal(countIn('arrivals'), 70);
  const folded = [...saidIn('log 7', 2), 'the middle', ...saidIn('log 7', 41).slice(38)];
  assert.deepEqual(await texts(store, 'log 7'), folded);
  const late = await store.append('log 7', { epoch, expectedSeq: 39, records: [{ seq: 40, text: 'late' }] });
  assert.deepEqual(late.ok || late.conflict.tail, [
    { seq: 40, text: 'log 7: 40' },
    { seq: 41, text: 'log 7: 41' },
  ]);
  // Closing puts them in order, so that what is looked at below is as a process leaves it that was killed.
  await say(1);

  assert.equal(countIn('arrivals'), 70);
  assert.deepEqual(await checkIntegrity(directory), { logs: 70, records: 70 * 42 - 35, problems: [] });
  assert.deepEqual(
    sizesOf(directory).logs.find(({ name }) => name === 'log 9'),
    { name: 'log 9', changes: 42, records: 42, bytes: saidIn('log 9', 42).join('').length },
  );
  await store.close();
  assert.equal(countIn('arrivals'), 0);
  const records = [{ seq: 42, text: 'x' }];
  rewriteLogs(directory, [{ log: 'log 9', epoch: writers[9]?.epoch ?? '', lastSeq: 42, records }]);
  const again = await openSqliteStore({ directory });
  assert.deepEqual([await texts(again, 'log 9'), await texts(again, 'log 7')], [['x'], [...folded, 'log 7: 42']]);
  await again.close();
});

test('[SQ29] few writers, or many records of one, do without the detour', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  await Promise.all(['a', 'b', 'c'].map((log) => new Writer(store, log).append(['x'])));
  await Promise.all(['d', 'e', 'f', 'g'].map((log) => new Writer(store, log).append(saidIn(log, 5))));
  await store.close();
  using database = new DatabaseSync(join(directory, 'loom.db'));
  assert.equal(database.prepare('SELECT count(*) AS count FROM arrivals').get()?.['count'], 0);
});

test('[SQ29] [SQ9] one that is damaged is told to the reader of its log, and is in no other log’s way', async (t) => {
  const { path: directory } = temporaryDirectory(t);
  const store = await openSqliteStore({ directory });
  const writers = ['a', 'b', 'c', 'd'].map((log) => new Writer(store, log));
  for (let round = 0; round < 3; round += 1) await Promise.all(writers.map((writer) => writer.append(['x'])));
  using database = new DatabaseSync(join(directory, 'loom.db'));
  database.exec('UPDATE arrivals SET id = id - 1 WHERE id & 0xffffffff = 3 AND id >> 32 = 1');
  const [first, ...others] = writers;
  await assert.rejects(store.read(first?.log ?? '', 0), { code: 'store-corrupt' });
  for (const writer of [...others, new Writer(store, 'new')]) await writer.append(['y']);
  assert.deepEqual(await texts(store, 'd'), ['x', 'x', 'x', 'y']);
  assert.ok((await store.nextClientId()) > 1);
  await store.close();
  assert.match((await checkIntegrity(directory)).problems[0]?.message ?? '', /after 2 comes 2/u);
});
