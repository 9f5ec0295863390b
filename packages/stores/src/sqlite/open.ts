import { join } from 'node:path';
import type { Store } from '@loom/kernel';
import { BlobFiles } from '../blob-files.ts';
import { makeDirectory } from '../durable-files.ts';
import { fileFailure } from '../file-failure.ts';
import { machineFiles } from '../machine-files.ts';
import { Committer } from './committer.ts';
import { Connection } from './connection.ts';
import { connectDatabase, connectToLook } from './database.ts';
import { SqliteStore } from './sqlite-store.ts';
import { WriterThread } from './writer-thread.ts';

export interface SqliteStoreOptions {
  /** Where `loom.db` and `blobs/` are kept; made if it does not exist. */
  directory: string;
  /** Milliseconds since 1970, for leases. */
  now?: () => number;
  /** For who only looks, and does not stay: what is on a full disk can be read too. */
  looksOnly?: boolean;
}

/**
 * Opens, or makes, the logs of a directory. Several processes may do so at a time. Rejects with a `StoreError` and leaves the
 * file as it is if `loom.db` is not Loom's, damaged, or of a newer format.
 */
export async function openSqliteStore({
  directory,
  now = Date.now,
  looksOnly = false,
}: SqliteStoreOptions): Promise<Store> {
  await makeDirectory(machineFiles, directory).catch((error: unknown) => {
    throw fileFailure(error, `could not make the directory ${directory}`);
  });
  const path = join(directory, 'loom.db');
  const connection = new Connection(() => (looksOnly ? connectToLook(path) : connectDatabase(path)));
  await connection.open();
  const committer = new Committer(connection, new WriterThread(path));
  return new SqliteStore({ connection, committer, blobs: new BlobFiles(join(directory, 'blobs'), machineFiles), now });
}
