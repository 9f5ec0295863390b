import { openSqliteTextIndex } from '@loom/stores/sqlite';
import type { SqliteTextIndex } from '@loom/stores/sqlite';
import { findStore } from '@loom/data-folder';

/**
 * Runs a search with the index of a data directory, if there is so much to search that starting it pays. What is new is entered into the
 * index afterwards, for a moment: the next search goes on with it.
 */
export async function withSearchIndex<Result>(
  dataDir: string,
  conversations: number,
  search: (index: SqliteTextIndex | undefined) => Promise<Result>,
): Promise<Result> {
  // Without a database for the logs there is none for the search either.
  if (conversations < fewConversations || (await findStore(dataDir)) === 'files') return search(undefined);
  const index = openSqliteTextIndex({ directory: dataDir });
  index.start();
  try {
    const result = await search(index);
    await index.ready(indexMilliseconds);
    return result;
  } finally {
    await index.close();
  }
}

/** So many are opened faster than threads are started. */
const fewConversations = 50;
const indexMilliseconds = 1_000;
