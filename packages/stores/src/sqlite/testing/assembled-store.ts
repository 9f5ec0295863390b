import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import type { Store } from '@loom/kernel';
import { BlobFiles } from '../../blob-files.ts';
import { machineFiles } from '../../machine-files.ts';
import { Connection } from '../connection.ts';
import { connectDatabase } from '../database.ts';
import { SqliteStore } from '../sqlite-store.ts';

/** A store whose every new connection is handed to `prepare` first, to watch it or to make it fail. */
export function assembleStore(
  t: TestContext,
  directory: string,
  { prepare, patience }: { prepare?: (database: DatabaseSync) => DatabaseSync; patience?: number },
): Store {
  const connect = (): DatabaseSync => {
    const database = connectDatabase(join(directory, 'loom.db'));
    return prepare === undefined ? database : prepare(database);
  };
  const connection = new Connection(connect, patience);
  const store = new SqliteStore({
    connection,
    blobs: new BlobFiles(join(directory, 'blobs'), machineFiles),
    now: Date.now,
  });
  t.after(() => store.close());
  return store;
}
