import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { connectDatabase, connectUnchanging, inspectDatabase } from './database.ts';

test('[FC24] a database that cannot be written to is read, and nothing is made beside it', (t) => {
  const path = makeDatabase(t);
  using database = connectUnchanging(path);
  assert.deepEqual({ ...database.prepare('SELECT count(*) AS count FROM logs').get() }, { count: 0 });
  assert.deepEqual(readdirSync(join(path, '..')), ['loom.db']);
  assert.throws(() => database.exec("INSERT INTO logs (name, epoch) VALUES ('a', 'b')"), /readonly/u);
  // The counter-check: opening a database in the usual way does make files beside it.
  using other = new DatabaseSync(path, { readOnly: true });
  other.prepare('SELECT count(*) FROM logs').get();
  assert.ok(existsSync(`${path}-wal`));
});

test('[FC24] what examines a database needs no right to write beside it', (t) => {
  const path = makeDatabase(t);
  // SQLite cannot make its own file there, for any user.
  mkdirSync(`${path}-shm`);
  const { database } = inspectDatabase(path);
  using opened = database;
  assert.deepEqual({ ...opened.prepare('SELECT count(*) AS count FROM logs').get() }, { count: 0 });
});

test('[FC24] what is not in the file itself, or cannot be brought up to date, is refused with what to do', (t) => {
  const path = makeDatabase(t);
  const refusal = (what: RegExp) => (error: unknown) =>
    error instanceof Error && what.test(error.message) && 'advice' in error && String(error.advice).startsWith('Copy ');
  for (const end of ['-wal', '-journal']) {
    writeFileSync(`${path}${end}`, 'something');
    assert.throws(() => connectUnchanging(path), refusal(/read-only medium, and changes beside it/u));
    rmSync(`${path}${end}`);
  }
  connectUnchanging(path).close();
  const database = new DatabaseSync(path);
  database.exec('PRAGMA user_version = 1');
  database.close();
  assert.throws(() => connectUnchanging(path), refusal(/older format/u));
  writeFileSync(path, '');
  assert.throws(() => connectUnchanging(path), refusal(/holds nothing/u));
});

function makeDatabase(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'loom-read-only-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'loom.db');
  connectDatabase(path).close();
  return path;
}
