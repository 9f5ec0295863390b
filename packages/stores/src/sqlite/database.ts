import { accessSync, closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { StoreError } from '@loom/kernel/store';
import { failedWith } from '../disk/files-port.ts';
import { corruptAdvice, isWithoutRight, isWithoutRoom } from './failures.ts';
import { makePrivateFile } from './private-file.ts';
import { format, migrations, openedFormat, recordsWhere, schema } from './tables/schema.ts';

/** Opens or makes a database of Loom's. Throws a `StoreError`, having changed nothing, if the file is something else or newer. */
export function connectDatabase(path: string): DatabaseSync {
  if (isOnReadOnlyMedium(path)) return connectUnchanging(path);
  refuseForeignFile(path);
  makePrivateFile(path);
  // Waiting happens in `Connection`, where it does not block; this bridges only the moments that locks are handed over.
  const database = new DatabaseSync(path, { timeout: 10 });
  try {
    // FULL: a commit is on the disk before it is answered. NORMAL loses acknowledged commits when the power goes.
    database.exec(`PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = ${checkpointPages}`);
    if (isNew(database)) create(database);
    refuseForeignMark(path, readMark(database));
    migrate(database);
    // Only now, so that the mark is in the file itself from the first moment, where `refuseForeignFile` looks for it.
    database.exec('PRAGMA journal_mode = WAL');
    refuseLostLogs(path, database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * A list of logs, or its index, that is damaged in a way which SQLite does not notice looks empty, and would be begun again. So the
 * last record must belong to a log that is listed, and the first and the last log must be found by their names.
 */
function refuseLostLogs(path: string, database: DatabaseSync): void {
  const records = recordsWhere('TRUE', readMark(database).format);
  const used = database.prepare(`SELECT id >> 32 AS log FROM (${records}) ORDER BY id DESC LIMIT 1`).get()?.['log'];
  const ends = database
    .prepare(
      'SELECT id, name FROM logs NOT INDEXED WHERE id IN ((SELECT min(id) FROM logs), (SELECT max(id) FROM logs))',
    )
    .all();
  const find = database.prepare('SELECT id FROM logs WHERE name = ?');
  const isFound = ends.every(({ id, name }) => typeof name === 'string' && find.get(name)?.['id'] === id);
  if (isFound && Number(used ?? 0) <= Number(ends.at(-1)?.['id'] ?? 0)) return;
  throw new StoreError(
    'store-corrupt',
    `${path} is damaged: it holds changes of logs that it does not list`,
    corruptAdvice,
  );
}

/**
 * Connects for readers that do not stay: if SQLite's own files cannot be made, on a full disk or in the folder of another user, they can do
 * without. `isAlone`: true if no other process is at work with the database, which would not understand it in another format.
 */
export function connectToLook(path: string, isAlone: boolean): DatabaseSync {
  if (!isAlone) refuseOlder(path);
  try {
    return connectDatabase(path);
  } catch (error) {
    if (isWithoutRoom(error)) return connectUnchanging(path, 'a full disk');
    if (isWithoutRight(error)) return connectUnchanging(path, noRight);
    throw error;
  }
}

const noRight = 'a disk or in a folder where you may not write';

function refuseOlder(path: string): void {
  const { database, format: found } = inspectDatabase(path);
  database.close();
  if (found >= openedFormat) return;
  throw new StoreError(
    'store-failed',
    `${path} has the older format ${found}, and another process is at work with it`,
    'End that process, which is an older version of Loom: this one brings the folder up to date.',
  );
}

/**
 * Opens a database that cannot be written to, for readers: SQLite's own files beside it can neither be made nor be used there. Refuses one
 * whose write-ahead log still holds changes of a crash or another process, which would not be seen.
 */
export function connectUnchanging(path: string, medium = 'a read-only medium'): DatabaseSync {
  const refuse = (why: string): StoreError => {
    const advice = 'Copy the data directory to where it can be written to, and use that with --data-dir.';
    return new StoreError('store-failed', `${path} is on ${medium}, and ${why}`, advice);
  };
  if (sizeOf(path) === 0) throw refuse('holds nothing');
  if (sizeOf(`${path}-wal`) + sizeOf(`${path}-journal`) > 0) throw refuse('changes beside it are not in it yet');
  refuseForeignFile(path);
  const address = pathToFileURL(path);
  address.searchParams.set('immutable', '1');
  const database = new DatabaseSync(address, { readOnly: true });
  try {
    if (readMark(database).format < openedFormat)
      throw refuse('is of an older format, which has to be brought up to date');
    refuseLostLogs(path, database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function isOnReadOnlyMedium(path: string): boolean {
  try {
    accessSync(dirname(path), constants.W_OK);
    return false;
  } catch (error) {
    // If only this account may not write, another one may be doing so.
    return failedWith(error, 'EROFS');
  }
}

/** Opens a database of Loom's for reading only, beside the processes that work with it. Throws a `StoreError` if there is none. */
export function inspectDatabase(path: string): { database: DatabaseSync; format: number } {
  if (isOnReadOnlyMedium(path)) return inspectUnchanging(path);
  if (sizeOf(path) === 0) {
    throw new StoreError('store-failed', `${path} does not exist`, 'Name a data directory that Loom has written to.');
  }
  refuseForeignFile(path);
  // A read-only connection leaves the companion files that it had to make, so they must be there. One that could write, but does not, takes
  // them away again, and would also take in a write-ahead log that a crash has left.
  const database = new DatabaseSync(path, { readOnly: sizeOf(`${path}-wal`) > 0, timeout: 1000 });
  try {
    database.exec('PRAGMA query_only = ON');
    const mark = readMark(database);
    refuseForeignMark(path, mark);
    return { database, format: mark.format };
  } catch (error) {
    database.close();
    if (isWithoutRight(error)) return inspectUnchanging(path, noRight);
    throw error;
  }
}

function inspectUnchanging(path: string, medium?: string): { database: DatabaseSync; format: number } {
  const database = connectUnchanging(path, medium);
  return { database, format: readMark(database).format };
}

// Two processes may find the file empty at the same time; the second finds it made when its turn comes.
function create(database: DatabaseSync): void {
  // One transaction, so that a process that is cut off leaves an empty file or Loom's mark in it. Folding frees many pages; the setting
  // that returns them to the disk must come before anything is written, and outside a transaction it would be a separate write.
  database.exec('BEGIN; PRAGMA auto_vacuum = INCREMENTAL');
  if (isNew(database)) {
    database.exec(`${schema} PRAGMA application_id = ${loomId}; PRAGMA user_version = ${openedFormat};`);
  }
  database.exec('COMMIT');
}

/** Brings an older database up to date, in one transaction: another process finds it as it was or as it will be. */
function migrate(database: DatabaseSync): void {
  if (readMark(database).format >= openedFormat) return;
  database.exec('BEGIN IMMEDIATE');
  for (let next = readMark(database).format + 1; next <= openedFormat; next += 1) {
    database.exec(`${migrations.get(next) ?? ''} PRAGMA user_version = ${next};`);
  }
  database.exec('COMMIT');
}

function isNew(database: DatabaseSync): boolean {
  const { application, format } = readMark(database);
  return application === 0 && format === 0 && database.prepare('SELECT 1 FROM sqlite_schema').get() === undefined;
}

/** Looks without SQLite, because opening and closing a database may already change its file. */
function refuseForeignFile(path: string): void {
  // A journal means that a first opening is going on or was cut short: SQLite knows what to do with it.
  if (sizeOf(path) === 0 || sizeOf(`${path}-journal`) > 0) return;
  const header = readHeader(path);
  if (header.toString('latin1', 0, 16) !== 'SQLite format 3\0') throw foreign(path, 'it is not a database');
  refuseForeignMark(path, { application: header.readInt32BE(68), format: header.readInt32BE(60) });
  // Changes still in the write-ahead log are not in the file yet, a newer format perhaps. A reader does not move them there.
  if (sizeOf(`${path}-wal`) === 0) return;
  using reader = new DatabaseSync(path, { readOnly: true });
  refuseForeignMark(path, readMark(reader));
}

/** The mark of a database: its application and format. Both are 0 in a new one. */
interface Mark {
  application: number;
  format: number;
}

// 'Loom' in ASCII, so that `file` and people can tell.
const loomId = 0x4c6f6f6d;
// 16 MB. SQLite's own 1,000 pages are full after a dozen commits of many writers, and each time the disk is waited for twice more.
const checkpointPages = 4000;

function readMark(database: DatabaseSync): Mark {
  const application = database.prepare('PRAGMA application_id').get()?.['application_id'];
  const version = database.prepare('PRAGMA user_version').get()?.['user_version'];
  return { application: Number(application), format: Number(version) };
}

function refuseForeignMark(path: string, mark: Mark): void {
  if (mark.application !== loomId || mark.format < 1) throw foreign(path, 'it is a database of another program');
  if (mark.format > format) {
    throw new StoreError(
      'store-newer',
      `${path} has format ${mark.format}; this version of Loom knows formats up to ${format}`,
      'Use a newer version of Loom for this data directory. Nothing was changed.',
    );
  }
}

function foreign(path: string, why: string): StoreError {
  return new StoreError(
    'store-corrupt',
    `${path} is not a database of Loom: ${why}`,
    `Nothing was changed. Choose another data directory; or, if the file was Loom's: ${corruptAdvice}`,
  );
}

function readHeader(path: string): Buffer {
  const header = Buffer.alloc(100);
  const descriptor = openSync(path, 'r');
  try {
    readSync(descriptor, header, 0, header.length, 0);
  } finally {
    closeSync(descriptor);
  }
  return header;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}
