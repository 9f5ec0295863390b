import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { closeToOthers, makePrivateFile } from '../private-file.ts';
import { DamagedIndex } from './row-values.ts';

/**
 * Opens the index of a database, or begins a new one. It is only derived, so whatever is wrong with it is answered by throwing it
 * away: a file of something else under its name is no reason to stop, since the name is Loom's.
 */
export function openSearchDatabase(path: string): DatabaseSync {
  try {
    return open(path);
  } catch (error) {
    if (!isDamage(error)) throw error;
    discardSearchDatabase(path);
    return open(path);
  }
}

/** Deletes it. A process that has it open goes on with the deleted file, and finds the new one when it opens it again. */
export function discardSearchDatabase(path: string): void {
  for (const file of [path, `${path}-wal`, `${path}-shm`, `${path}-journal`]) rmSync(file, { force: true });
}

/** Whether an error means that the file is not what it should be. */
export function isDamage(error: unknown): boolean {
  if (error instanceof DamagedIndex) return true;
  const result =
    error instanceof Error && 'errcode' in error && typeof error.errcode === 'number' ? error.errcode & 0xff : 0;
  // SQLITE_ERROR: a table is missing or another one. SQLITE_CORRUPT, SQLITE_NOTADB.
  return result === 1 || result === 11 || result === 26;
}

function open(path: string): DatabaseSync {
  makePrivateFile(path);
  const database = new DatabaseSync(path, { timeout: 2_000 });
  try {
    closeToOthers(path);
    // NORMAL: after a power failure the last changes may be missing, but it is whole.
    database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec('BEGIN IMMEDIATE');
    const version = database.prepare('PRAGMA user_version').get()?.['user_version'];
    if (version === 0) database.exec(`${schema} PRAGMA user_version = ${format}`);
    else if (version !== format) throw new DamagedIndex('another format');
    database.exec('COMMIT');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/**
 * A chunk is one of a snapshot. `blocks` tells for each of its blocks how long its text is and where it lies, `ranks` its place
 * in a walk from the top (-1: hidden), `about` everything else, `other` the texts that no part of the snapshot has. `digest` tells
 * whether it is still the chunk that was read. The rows of `trigrams` are
 * stretches of chunks, see stretches.ts: those of a chunk are numbered from `first` on, without gaps between chunks, because FTS5 keeps the differences
 * of numbers and small ones take less room.
 */
const schema = `
  CREATE TABLE identity (name TEXT NOT NULL) STRICT;
  INSERT INTO identity VALUES (hex(randomblob(16)));
  CREATE TABLE logs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, seq INTEGER NOT NULL, size INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE chunks (
    id INTEGER PRIMARY KEY, log INTEGER NOT NULL, key TEXT NOT NULL, digest TEXT NOT NULL, kinds TEXT NOT NULL,
    size INTEGER NOT NULL, blocks BLOB NOT NULL, ranks BLOB NOT NULL, about BLOB NOT NULL, other BLOB NOT NULL, first INTEGER, stretches INTEGER, UNIQUE (log, key)
  ) STRICT;
  CREATE INDEX waiting ON chunks (id) WHERE first IS NULL;
  CREATE INDEX entered ON chunks (first) WHERE first IS NOT NULL;
  CREATE VIRTUAL TABLE trigrams USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
`;

const format = 2;
