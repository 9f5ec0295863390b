import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { StoreError } from '@loom/kernel/store';
import type { LogRewrite } from '../../log-rewrite.ts';
import { connectDatabase } from '../database.ts';
import { databaseFailure } from '../failures.ts';
import { packText } from '../tables/packed-text.ts';
import { RecordTables } from '../tables/record-tables.ts';

/**
 * Puts other records in the place of all those of some logs, under new epochs, and forgets what was derived from them. What was
 * there before is nowhere in the database any more, nor in its companions. All logs or none; the caller must be the only
 * writer of the directory.
 */
export function rewriteLogs(directory: string, requests: readonly LogRewrite[]): void {
  const database = connectDatabase(join(directory, 'loom.db'));
  try {
    database.exec('PRAGMA busy_timeout = 500; PRAGMA secure_delete = ON; BEGIN IMMEDIATE');
    const tables = new RecordTables(database);
    tables.recall();
    const find = database.prepare('SELECT id, epoch, last_seq FROM logs WHERE name = ?');
    const insert = database.prepare('INSERT INTO records (id, first, packed) VALUES ((?1 << 32) | ?2, ?3, ?4)');
    const dropParts = database.prepare(
      'DELETE FROM parts WHERE projection IN (SELECT id FROM projections WHERE log = ?)',
    );
    const dropProjections = database.prepare('DELETE FROM projections WHERE log = ?');
    const dropHead = database.prepare('DELETE FROM heads WHERE log = ?');
    const renew = database.prepare('UPDATE logs SET epoch = ? WHERE id = ?');
    for (const { log, epoch, lastSeq, records, format } of requests) {
      const found = find.get(log);
      const id = found?.['id'];
      if (typeof id !== 'number' || found?.['epoch'] !== epoch || found['last_seq'] !== lastSeq) throw changed(log);
      tables.dropAll(id);
      let last = 0;
      for (const { seq, text } of records) {
        insert.run(id, seq, last + 1, packText(text));
        last = seq;
      }
      if (last !== lastSeq) throw new RangeError(`the records of ${log} end at ${last} and not at ${lastSeq}`);
      dropParts.run(id);
      dropProjections.run(id);
      dropHead.run(id);
      renew.run(randomUUID(), id);
      tables.mark(format);
    }
    database.exec('COMMIT');
    // Pages that were freed long ago still hold what they held; a new file does not have them.
    database.exec('VACUUM');
    // As long as another process reads what was there before, it cannot go.
    if (database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] !== 0) throw stillRead();
  } catch (error) {
    throw databaseFailure(error);
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  }
}

function stillRead(): StoreError {
  return new StoreError(
    'store-locked',
    'loom.db and loom.db-wal still hold what was there before, since another process reads it',
    'End the other process that reads this data directory, then run the command again.',
  );
}

function changed(log: string): StoreError {
  return new StoreError(
    'store-failed',
    `another process has written to ${log} meanwhile; nothing was changed`,
    'End the other process that writes to this data directory, then try again.',
  );
}
