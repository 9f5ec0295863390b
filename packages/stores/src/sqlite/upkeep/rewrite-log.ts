import { join } from 'node:path';
import { StoreError } from '@loom/kernel/store';
import type { LogRewrite } from '@loom/kernel/store';
import { checkRewrite } from '../../append-verdict.ts';
import { emptyWriteAheadLog } from '../connection.ts';
import { connectDatabase } from '../database.ts';
import { databaseFailure } from '../failures.ts';
import { RecordTables } from '../tables/record-tables.ts';
import { SheddingMark } from '../tables/shedding-mark.ts';
import { RewriteTables } from '../tables/rewrite-tables.ts';

/**
 * Puts other records in the place of all those of some logs, as a store that is open does, also where the logs are damaged. All logs or
 * none; the caller must be the only writer of the directory.
 */
export function rewriteLogs(directory: string, rewrites: readonly LogRewrite[]): void {
  for (const rewrite of rewrites) checkRewrite(rewrite);
  const database = connectDatabase(join(directory, 'loom.db'));
  try {
    database.exec('PRAGMA busy_timeout = 500; BEGIN IMMEDIATE');
    const records = new RecordTables(database);
    records.recall();
    const changed = new RewriteTables(database, records).rewrite(rewrites);
    if (changed !== undefined) throw hasChanged(changed.log);
    database.exec('COMMIT; VACUUM');
    emptyWriteAheadLog(database);
    new SheddingMark(database).clear();
  } catch (error) {
    throw databaseFailure(error);
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK');
    database.close();
  }
}

function hasChanged(log: string): StoreError {
  return new StoreError(
    'store-failed',
    `another process has written to ${log} meanwhile; nothing was changed`,
    'End the other process that writes to this data directory, then try again.',
  );
}
