import assert from 'node:assert/strict';
import { copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel';
import { begin, texts } from '../testing/writer.ts';
import { connectDatabase } from './database.ts';
import { openSqliteStore } from './index.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const refusal = (code: StoreError['code']) => (error: unknown) =>
  error instanceof StoreError && error.code === code && /Nothing was changed/u.test(error.advice);

/** All files of a directory with their bytes. SQLite's index of the write-ahead log is made anew by any reader. */
function snapshot(directory: string): Map<string, string> {
  const names = readdirSync(directory).filter((name) => !name.endsWith('-shm'));
  return new Map(names.sort().map((name) => [name, readFileSync(join(directory, name), 'latin1')]));
}

test('[SQ10] a commit waits for the disk: write-ahead log, synchronous FULL', (t) => {
  using database = connectDatabase(join(temporaryDirectory(t).path, 'loom.db'));
  assert.equal(database.prepare('PRAGMA journal_mode').get()?.['journal_mode'], 'wal');
  assert.equal(database.prepare('PRAGMA synchronous').get()?.['synchronous'], 2);
});

test('[SQ11] a newer format is refused, and not a byte is changed', async (t) => {
  const { path, open } = temporaryDirectory(t);
  await (await open()).close();
  const newer = new DatabaseSync(join(path, 'loom.db'));
  newer.exec('PRAGMA user_version = 2');
  newer.close();
  const before = snapshot(path);
  await assert.rejects(open(), refusal('store-newer'));
  assert.deepEqual(snapshot(path), before);
});

test('[SQ11] also while the newer format is still in the write-ahead log alone, as a crash leaves it', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const crashed = temporaryDirectory(t);
  await (await open()).close();
  using newer = new DatabaseSync(join(path, 'loom.db'));
  newer.exec('PRAGMA user_version = 2');
  for (const name of ['loom.db', 'loom.db-wal']) copyFileSync(join(path, name), join(crashed.path, name));
  const before = snapshot(crashed.path);
  assert.equal(readFileSync(join(crashed.path, 'loom.db')).readInt32BE(60), 1);
  await assert.rejects(crashed.open(), refusal('store-newer'));
  assert.deepEqual(snapshot(crashed.path), before);
});

test('[SQ12] a loom.db that is something else is refused, and not a byte is changed', async (t) => {
  const makers: ((file: string) => void)[] = [
    (file) => writeFileSync(file, 'Dear diary'),
    (file) => writeFileSync(file, Buffer.alloc(4096)),
    (file) => makeForeign(file, 'CREATE TABLE notes (text)'),
    (file) => makeForeign(file, 'PRAGMA user_version = 1; CREATE TABLE logs (name)'),
    (file) => makeForeign(file, 'PRAGMA application_id = 7'),
    (file) => makeForeign(file, 'PRAGMA journal_mode = WAL; CREATE TABLE notes (text)'),
  ];
  for (const make of makers) {
    const { path, open } = temporaryDirectory(t);
    make(join(path, 'loom.db'));
    const before = snapshot(path);
    await assert.rejects(open(), refusal('store-corrupt'));
    assert.deepEqual(snapshot(path), before);
  }
});

test('[SQ13] an empty loom.db, as a first opening leaves it that was cut short, is made anew', async (t) => {
  const { path, open } = temporaryDirectory(t);
  writeFileSync(join(path, 'loom.db'), '');
  const store = await open();
  await begin(store, 'a', ['one']);
  assert.deepEqual(await texts(store, 'a'), ['one']);
});

test('[SQ13] so is one whose rollback journal was left behind', async (t) => {
  const source = temporaryDirectory(t);
  const { path, open } = temporaryDirectory(t);
  using opening = new DatabaseSync(join(source.path, 'loom.db'));
  // A cache of one page makes SQLite write to the file in the middle of the transaction.
  opening.exec('PRAGMA cache_size = 1; BEGIN IMMEDIATE; CREATE TABLE logs (a)');
  for (let index = 0; index < 50; index += 1) opening.exec(`CREATE TABLE t${index} (a)`);
  for (const name of ['loom.db', 'loom.db-journal']) copyFileSync(join(source.path, name), join(path, name));
  assert.ok(statSync(join(path, 'loom.db')).size > 0);
  const store = await open();
  await begin(store, 'a', ['one']);
  assert.deepEqual(await texts(store, 'a'), ['one']);
});

test('[SQ14] a missing data directory is made, for its owner only, and holds nothing but loom.db when the store is closed', async (t) => {
  const { path } = temporaryDirectory(t);
  const directory = join(path, 'new', 'data');
  const store = await openSqliteStore({ directory });
  await begin(store, 'a', ['one']);
  await store.close();
  assert.deepEqual(readdirSync(directory), ['loom.db']);
  assert.equal(statSync(join(path, 'new')).mode & 0o777, 0o700);
});

test('[SQ14] a directory that cannot be made fails with advice', async (t) => {
  const { path } = temporaryDirectory(t);
  writeFileSync(join(path, 'file'), '');
  await assert.rejects(openSqliteStore({ directory: join(path, 'file', 'data') }), { code: 'store-failed' });
});

function makeForeign(file: string, sql: string): void {
  using database = new DatabaseSync(file);
  database.exec(sql);
}
