import { statSync } from 'node:fs';
import { join } from 'node:path';
import { SearchThread } from '../../search/search-thread.ts';
import { ThreadedTextIndex } from '../../search/threaded-text-index.ts';
import type { TextIndexLimits } from '../../search/threaded-text-index.ts';

export interface SqliteTextIndexOptions extends TextIndexLimits {
  /** The folder of `loom.db`; the index is kept beside it as `loom.db-search`. */
  directory: string;
  /** The longest time that JavaScript's engine may make no progress, in milliseconds of processor time. */
  patience?: number;
  script?: URL;
}

export type SqliteTextIndex = ThreadedTextIndex;

/**
 * Opens an index for the texts of a SQLite store. It follows the logs: new changes are indexed in the background, and those that a search
 * needs before it begins. The file may be deleted at any moment.
 */
export function openSqliteTextIndex({
  directory,
  patience,
  script = new URL('./search-worker.ts', import.meta.url),
  ...limits
}: SqliteTextIndexOptions): SqliteTextIndex {
  const settings = { script, place: { directory }, ...(patience === undefined ? {} : { patience }) };
  const database = join(directory, 'loom.db');
  /** The state of the database's files when everything in them had been entered. */
  let entered: string | undefined;
  return new ThreadedTextIndex({
    ...limits,
    thread: (cacheBytes) => new SearchThread({ ...settings, cacheBytes }),
    async enterNews(indexer) {
      // Taken before, so that what is written meanwhile counts as new. Where nothing was, a server that rests does not open databases.
      const written = stateOfFiles(database);
      if (written !== entered && (await indexer.enterAll())) entered = written;
    },
  });
}

/**
 * Returns a text that changes with each write to a database, and when its index is made anew. Writes go to the database's log, and from there
 * into its file.
 */
function stateOfFiles(database: string): string {
  const [main, log, index] = ['', '-wal', '-search'].map((end) =>
    statSync(database + end, { bigint: true, throwIfNoEntry: false }),
  );
  return [main?.ino, main?.size, main?.mtimeNs, log?.ino, log?.size, log?.mtimeNs, index?.ino].join();
}
