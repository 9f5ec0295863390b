import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import type { TestContext } from 'node:test';
import type { Store } from '@loom/kernel/store';
import { BlobFiles } from '../../blobs/blob-files.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import { AcknowledgedNote } from '../upkeep/acknowledged-note.ts';
import { Committer } from '../writing/committer.ts';
import { Connection } from '../connection.ts';
import { connectDatabase } from '../database.ts';
import { handlesOn } from '../process-handles.ts';
import { SqliteStore } from '../sqlite-store.ts';
import { WriterThread } from '../writing/writer-thread.ts';

/** A store on this thread alone, whose every new connection is handed to `prepare` first, to watch it or to make it fail. */
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
  return finish(t, directory, connection, new Committer(connection), Date.now);
}

/** A store that leaves every write to its thread; `script` is another one to run there than the usual. */
export function assembleThreadedStore(
  t: TestContext,
  directory: string,
  { script, now = Date.now }: { script?: URL; now?: () => number } = {},
): Store {
  const path = join(directory, 'loom.db');
  const connection = new Connection(() => connectDatabase(path));
  const thread = new WriterThread(path, script);
  return finish(t, directory, connection, new Committer(connection, thread, -1), now);
}

function finish(
  t: TestContext,
  directory: string,
  connection: Connection,
  committer: Committer,
  now: () => number,
): Store {
  const blobs = new BlobFiles(join(directory, 'blobs'), machineFiles, now);
  const note = new AcknowledgedNote(join(directory, 'loom.db'));
  const store = new SqliteStore({ connection, committer, note, blobs, handles: handlesOn(directory), now });
  t.after(() => store.close());
  return store;
}
