import { join } from 'node:path';
import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { BlobFiles } from '../blobs/blob-files.ts';
import { makeDirectory } from '../disk/durable-files.ts';
import { fileFailure } from '../disk/file-failure.ts';
import type { LostLog } from '../lost-log.ts';
import { machineFiles } from '../disk/machine-files.ts';
import { AcknowledgedNote } from './upkeep/acknowledged-note.ts';
import { Committer } from './writing/committer.ts';
import { Connection } from './connection.ts';
import { connectDatabase, connectToLook } from './database.ts';
import { findLosses, keepLosses, keepStrayWriteAheadLog } from './upkeep/losses.ts';
import { handlesOn } from './process-handles.ts';
import { closeToOthers } from './private-file.ts';
import { SqliteStore } from './sqlite-store.ts';
import { WriterThread } from './writing/writer-thread.ts';

export interface SqliteStoreOptions {
  /** The folder of `loom.db` and `blobs/`; made if it does not exist. */
  directory: string;
  /** Milliseconds since 1970, for leases. */
  now?: () => number;
  /**
   * For readers that do not stay: a database on a full disk or in a folder of another user can be read too. `alone`: no other process is at
   * work with the folder; beside others a database of an older format is refused, and not brought up to date.
   */
  looks?: 'alone' | 'beside-others';
  /** Receives each log of which more was acknowledged than is there. */
  lost?: (lost: LostLog) => void;
}

/**
 * Opens, or makes, the logs of a directory. Several processes may do so at a time. Rejects with a `StoreError` and leaves the
 * file as it is if `loom.db` is not Loom's, damaged, or of a newer format.
 */
export async function openSqliteStore({
  directory,
  now = Date.now,
  looks,
  lost = () => {},
}: SqliteStoreOptions): Promise<Store> {
  await makeDirectory(machineFiles, directory).catch((error: unknown) => {
    throw fileFailure(error, `could not make the directory ${directory}`);
  });
  const path = join(directory, 'loom.db');
  const connection = new Connection(() =>
    looks === undefined ? connectDatabase(path) : connectToLook(path, looks === 'alone'),
  );
  const note = new AcknowledgedNote(path);
  const acknowledged = note.read();
  if (looks === undefined) keepStrayWriteAheadLog(directory, now());
  const losses = await connection.transaction('BEGIN', (tables) => findLosses(tables, acknowledged.values()));
  for (const { log, epoch, seq, end } of losses) lost({ log, epoch, seq, end });
  if (looks === undefined) await keepLosses(directory, { connection, losses, now: now() });
  if (looks === undefined) closeToOthers(path);
  // Without patience: where another process reads the old contents, it is for a later opening.
  if (looks === undefined) await eraseRemains(new Connection(() => connectDatabase(path), 0));
  const committer = new Committer(connection, new WriterThread(path));
  const blobs = new BlobFiles(join(directory, 'blobs'), machineFiles, now);
  return new SqliteStore({ connection, committer, note, blobs, handles: handlesOn(directory), now });
}

async function eraseRemains(connection: Connection): Promise<void> {
  try {
    await connection.shedRemains();
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
  } finally {
    connection.close();
  }
}
