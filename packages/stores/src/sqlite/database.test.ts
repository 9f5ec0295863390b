import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import { begin, request, texts } from '../testing/writer.ts';
import { connectDatabase } from './database.ts';
import { openSqliteStore } from './index.ts';
import { format, openedFormat } from './tables/schema.ts';
import { temporaryDirectory } from './testing/temporary-directory.ts';

const refusal = (code: StoreError['code']) => (error: unknown) =>
  error instanceof StoreError && error.code === code && /Nothing was changed/u.test(error.advice);

/** Returns all files of a directory with their bytes, except SQLite's index of the write-ahead log, which any reader makes anew. */
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
  newer.exec('PRAGMA user_version = 1000');
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
  newer.exec('PRAGMA user_version = 1000');
  for (const name of ['loom.db', 'loom.db-wal']) copyFileSync(join(path, name), join(crashed.path, name));
  const before = snapshot(crashed.path);
  assert.equal(readFileSync(join(crashed.path, 'loom.db')).readInt32BE(60), openedFormat);
  await assert.rejects(crashed.open(), refusal('store-newer'));
  assert.deepEqual(snapshot(crashed.path), before);
});

test('[SQ38] a database takes a newer number with the first records that need it, in the same transaction', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const numberIn = (): unknown => {
    using database = new DatabaseSync(join(path, 'loom.db'), { readOnly: true });
    return database.prepare('PRAGMA user_version').get()?.['user_version'];
  };
  const store = await open();
  const epoch = await begin(store, 'a', ['one']);
  await store.append('a', request(epoch, 1, ['two']));
  assert.equal(numberIn(), openedFormat);
  const late = await store.append('a', { ...request(epoch, 1, ['late']), format: 3 });
  assert.equal(late.ok, false);
  assert.equal(numberIn(), openedFormat, 'records that are refused mark nothing');
  await store.append('a', { ...request(epoch, 2, ['three']), format: 3 });
  assert.equal(numberIn(), format);
  await store.close();
  const again = await open();
  assert.deepEqual(await texts(again, 'a'), ['one', 'two', 'three']);
  assert.equal(numberIn(), format, 'opening leaves the number as it is');
});

test('[SQ18] a database of an older format is brought up to date and holds the same records', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const old = new DatabaseSync(join(path, 'loom.db'));
  old.exec(`
    CREATE TABLE logs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, last_seq INTEGER NOT NULL) STRICT;
    CREATE TABLE records (id INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT;
    CREATE TABLE leases (key TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL) STRICT, WITHOUT ROWID;
    CREATE TABLE client_ids (last INTEGER NOT NULL) STRICT;
    INSERT INTO client_ids VALUES (41);
    INSERT INTO logs VALUES (1, 'a', 'first', 2), (2, 'b', 'second', 1);
    INSERT INTO records VALUES ((1 << 32) + 1, 'one'), ((1 << 32) + 2, 'two'), ((2 << 32) + 1, 'other');
    PRAGMA application_id = 1282371437; PRAGMA user_version = 1; PRAGMA journal_mode = WAL;`);
  old.close();
  const store = await open();
  assert.deepEqual([await texts(store, 'a'), await texts(store, 'b')], [['one', 'two'], ['other']]);
  assert.equal(await store.nextClientId(), 42);
  assert.equal(await store.fold('a', { epoch: 'first', first: 1, record: { seq: 2, text: 'both' } }), true);
  await store.close();
  assert.deepEqual(await texts(await open(), 'a'), ['both']);
});

test('[SQ18] one of the format before projections and heads gets them', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const before = await open();
  const epoch = await begin(before, 'a', ['one']);
  await before.close();
  const old = new DatabaseSync(join(path, 'loom.db'));
  old.exec('DROP TABLE heads; DROP TABLE parts; DROP TABLE projections; PRAGMA user_version = 2');
  old.close();
  const store = await open();
  const put = [{ key: 'x', text: 'y' }];
  assert.equal(await store.writeProjection('a', 'state', { epoch, seq: 1, base: undefined, put, drop: [] }), true);
  assert.deepEqual(await store.readProjection('a', 'state'), { epoch, seq: 1, parts: put });
  assert.deepEqual(await store.heads({ order: 'newest', limit: 9 }), [{ log: 'a' }]);
  assert.deepEqual(await texts(store, 'a'), ['one']);
});

test('[SQ18] a reader beside a process at work leaves an older format as it is', async (t) => {
  const { path, open } = temporaryDirectory(t);
  await (await open()).close();
  const file = join(path, 'loom.db');
  const old = new DatabaseSync(file);
  old.exec('DROP TABLE heads; PRAGMA user_version = 3');
  old.close();
  const before = readFileSync(file);
  const refusal = openSqliteStore({ directory: path, looks: 'beside-others' });
  await assert.rejects(refusal, (error) => error instanceof StoreError && /older format 3/u.test(error.message));
  assert.ok(before.equals(readFileSync(file)));
  await (await openSqliteStore({ directory: path, looks: 'alone' })).close();
  await (await openSqliteStore({ directory: path, looks: 'beside-others' })).close();
});

test('[SQ19] a folded record is compressed, and one that cannot be unpacked is reported', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const store = await open();
  const epoch = await begin(store, 'a', ['one', 'two']);
  const record = { seq: 2, text: 'over and over again. '.repeat(5000) };
  await store.fold('a', { epoch, first: 1, record });
  using database = new DatabaseSync(join(path, 'loom.db'));
  const size = Number(database.prepare('SELECT length(packed) AS size FROM records').get()?.['size']);
  assert.ok(size > 0 && size < record.text.length / 20, `${size} bytes`);
  const short = { seq: 2, text: 'short' };
  await store.fold('a', { epoch, first: 1, record: short });
  assert.deepEqual(await texts(store, 'a'), ['short']);
  const damages = ["replace(packed, 'short', 'shirt')", "x'00112233'", "x'28b52ffd00112233'", "x''"];
  for (const damage of damages) {
    database.exec(`UPDATE records SET packed = CAST(${damage} AS BLOB)`);
    await assert.rejects(store.read('a', 0), (error) => error instanceof StoreError && error.code === 'store-corrupt');
  }
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
  assert.deepEqual(readdirSync(directory).toSorted(), ['loom.db', 'loom.db.acknowledged']);
  assert.equal(statSync(join(path, 'new')).mode & 0o777, 0o700);
});

test('[SQ33] the database and its companions are for their owner only, also those that were made for everybody', async (t) => {
  const { path, open } = temporaryDirectory(t);
  const modes = (): string[] =>
    readdirSync(path)
      .filter((name) => !name.endsWith('acknowledged'))
      .map((name) => `${name} ${(statSync(join(path, name)).mode & 0o777).toString(8)}`);
  const all = ['loom.db', 'loom.db-shm', 'loom.db-wal'];
  const store = await open();
  await begin(store, 'a', ['one']);
  assert.deepEqual(
    modes(),
    all.map((name) => `${name} 600`),
  );
  for (const name of all) chmodSync(join(path, name), 0o644);
  const looking = await openSqliteStore({ directory: path, looks: 'beside-others' });
  await looking.close();
  assert.deepEqual(
    modes(),
    all.map((name) => `${name} 644`),
  );
  await (await openSqliteStore({ directory: path })).close();
  assert.deepEqual(
    modes(),
    all.map((name) => `${name} 600`),
  );
  await store.close();
  assert.deepEqual(modes(), ['loom.db 600']);
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
