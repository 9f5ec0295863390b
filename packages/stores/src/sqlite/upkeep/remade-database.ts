import {
  closeSync,
  copyFileSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { StoreError } from '@loom/kernel/store';
import { connectDatabase } from '../database.ts';
import { databaseFailure } from '../failures.ts';
import { checkIntegrity } from './integrity-check.ts';
import { arrivalsFormat, format, recordsWhere, secondStep } from '../tables/schema.ts';

/**
 * Makes a database anew out of its logs, without the indexes and projections, which are derived from them. Returns the path of the damaged
 * one. Throws, having changed nothing, if the logs cannot be read to their end or the damage is another one. The caller must be the only
 * one at work with the directory.
 */
export async function remakeDatabase(directory: string, now: number): Promise<string> {
  const path = join(directory, 'loom.db');
  const folder = join(directory, 'loom.db.remade.tmp');
  const kept = `${path}.damaged-${now}`;
  rmSync(folder, { recursive: true, force: true });
  try {
    mkdirSync(folder, { mode: 0o700 });
    takeInWriteAheadLog(path, kept);
    copyLogs(path, join(folder, 'loom.db'));
    const { problems } = await checkIntegrity(folder);
    if (problems.length > 0) throw stillDamaged(problems[0]?.message ?? '');
    linkSync(path, kept);
    renameSync(join(folder, 'loom.db'), path);
    syncFile(directory);
    return kept;
  } catch (error) {
    throw databaseFailure(error);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function copyLogs(path: string, target: string): void {
  connectDatabase(target).close();
  const database = new DatabaseSync(target);
  try {
    database.exec('PRAGMA journal_mode = DELETE; PRAGMA synchronous = FULL');
    database.prepare('ATTACH ? AS old').run(path);
    const found = Number(database.prepare('PRAGMA old.user_version').get()?.['user_version']);
    if (found < 1 || found > format) throw stillDamaged(`format ${found} cannot be rebuilt`);
    database.exec(`
      BEGIN;
      INSERT INTO main.logs (id, name, epoch, last_seq) SELECT id, name, epoch, last_seq FROM old.logs NOT INDEXED;
      INSERT INTO main.records (id, text, first, packed) ${recordsWhere('TRUE', found, 'old')};
      DELETE FROM main.client_ids;
      INSERT INTO main.client_ids SELECT last FROM old.client_ids;
      ${found < arrivalsFormat ? '' : secondStep}
      COMMIT;
    `);
  } finally {
    database.close();
  }
  syncFile(target);
}

/**
 * Moves the write-ahead log into the old file, to which it belongs: it would be taken for changes of the new one. A copy is kept, in case
 * that it is damaged itself.
 */
function takeInWriteAheadLog(path: string, kept: string): void {
  const hasChanges = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  if (hasChanges) copyFileSync(`${path}-wal`, `${kept}-wal`);
  using database = new DatabaseSync(path);
  const busy = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'];
  if (busy === 0) return;
  throw new StoreError('store-locked', 'another process is at work with loom.db', 'End it, or try again later.');
}

function stillDamaged(why: string): StoreError {
  return new StoreError(
    'store-corrupt',
    `loom.db cannot be rebuilt: ${why}`,
    'Restore the data directory from a backup.',
  );
}

function syncFile(path: string): void {
  const descriptor = openSync(path, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
