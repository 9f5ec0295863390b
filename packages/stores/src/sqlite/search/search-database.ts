import { rmSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { closeToOthers, makePrivateFile } from '../private-file.ts';
import { DamagedIndex } from '../../search/damaged-index.ts';

/**
 * Opens the index of a database, or begins a new one. It is only derived, so anything wrong with it means throwing it away, even a foreign
 * file under its name, since the name is Loom's.
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

/** Returns true if an error means that the file is damaged or foreign. */
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
 * The schema of the index. A stretch is a row of blocks of one conversation, see stretches.ts: `place` is its number in the walk from the
 * top, `keys` tells for each block what it was made of, `blocks` has their facts, `text` holds all their texts. Rows are never changed, and
 * numbers never used again. `trigrams` has a row under the same number for each.
 */
const schema = `
  CREATE TABLE identity (name TEXT NOT NULL) STRICT;
  INSERT INTO identity VALUES (hex(randomblob(16)));
  CREATE TABLE logs (
    id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, seq INTEGER NOT NULL, size INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE stretches (
    id INTEGER PRIMARY KEY AUTOINCREMENT, log INTEGER NOT NULL, place INTEGER NOT NULL, size INTEGER NOT NULL,
    keys BLOB NOT NULL, blocks BLOB NOT NULL, text BLOB NOT NULL
  ) STRICT;
  CREATE INDEX walk ON stretches (log, place);
  CREATE VIRTUAL TABLE trigrams USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii');
`;

const format = 3;
