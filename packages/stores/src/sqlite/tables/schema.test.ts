import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import { test } from 'node:test';
import type { LogRecord } from '@loom/kernel/store';
import { begin, request, texts } from '../../testing/writer.ts';
import { checkIntegrity, openSqliteStore, sizesOf } from '../index.ts';
import { temporaryDirectory } from '../testing/temporary-directory.ts';
import { readDamagedLog } from '../upkeep/damaged-log.ts';
import { remakeDatabase } from '../upkeep/remade-database.ts';
import { openedFormat } from './schema.ts';

const said = (log: string): string[] => Array.from({ length: 9 }, (_, index) => `${log}: ${index + 1}`);
const numbered = (log: string): LogRecord[] => said(log).map((text, index) => ({ seq: index + 1, text }));

/** A folder as a Loom of format 5 left it in the midst of many writers: the latest records of each log lie apart. */
async function makeOlder(
  t: TestContext,
): Promise<{ directory: string; epochs: string[]; change: (sql: string) => void }> {
  const { path: directory, open } = temporaryDirectory(t);
  const store = await open();
  const epochs = await Promise.all(['a', 'b', 'c'].map((log) => begin(store, log, said(log))));
  await store.close();
  const change = (sql: string): void => {
    using database = new DatabaseSync(join(directory, 'loom.db'));
    database.exec(sql);
  };
  change(`
    CREATE TABLE arrivals (place INTEGER PRIMARY KEY, id INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
    INSERT INTO arrivals (id, text) SELECT id, text FROM records WHERE id & 0xffffffff > 4 ORDER BY id & 0xffffffff;
    DELETE FROM records WHERE id & 0xffffffff > 4;
    PRAGMA user_version = 5`);
  return { directory, epochs, change };
}

test('[SQ29] records that an older format kept apart are at their places once the folder is opened', async (t) => {
  const { directory, epochs } = await makeOlder(t);
  const store = await openSqliteStore({ directory });
  assert.deepEqual((await store.read('b', 3, 6))?.records, numbered('b').slice(3, 6));
  for (const log of ['a', 'b', 'c']) assert.deepEqual(await texts(store, log), said(log));
  assert.deepEqual(await store.append('a', request(epochs[0], 9, ['next'])), { ok: true, epoch: epochs[0] });
  await store.close();
  assert.deepEqual(await checkIntegrity(directory), { logs: 3, records: 28, problems: [] });
  using database = new DatabaseSync(join(directory, 'loom.db'));
  assert.equal(database.prepare('PRAGMA user_version').get()?.['user_version'], openedFormat);
  assert.equal(database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'arrivals'").get(), undefined);
});

test('[SQ29] checking, measuring and reading for a repair find them where they are; a database made anew has them in place', async (t) => {
  const { directory } = await makeOlder(t);
  assert.deepEqual(await checkIntegrity(directory), { logs: 3, records: 27, problems: [] });
  const bytes = said('a').join('').length;
  assert.deepEqual(sizesOf(directory).logs[0], { name: 'a', changes: 9, records: 9, bytes });
  assert.deepEqual(readDamagedLog(directory, 'c')?.records, numbered('c'));
  await remakeDatabase(directory, 7);
  const store = await openSqliteStore({ directory });
  for (const log of ['a', 'b', 'c']) assert.deepEqual(await texts(store, log), said(log));
  await store.close();
});

test('[SQ29] [SQ9] one that is damaged is told to the reader of its log, and is in no other log’s way', async (t) => {
  const { directory, change } = await makeOlder(t);
  change('UPDATE arrivals SET id = id - 1 WHERE id & 0xffffffff = 5 AND id >> 32 = 1');
  const store = await openSqliteStore({ directory });
  await assert.rejects(store.read('a', 0), { code: 'store-corrupt' });
  for (const log of ['b', 'c']) assert.deepEqual(await texts(store, log), said(log));
  await store.close();
  assert.match((await checkIntegrity(directory)).problems[0]?.message ?? '', /after 4 comes 6/u);
});
