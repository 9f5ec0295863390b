import type { StoreIndex } from '@loom/stores/maintenance';
import { maintenanceOf } from '@loom/data-folder/upkeep';

/**
 * Runs a search with the index of a data directory, if there is so much to search that starting it pays. What is new is entered into the
 * index afterwards, for a moment: the next search goes on with it.
 */
export async function withSearchIndex<Result>(
  dataDir: string,
  conversations: number,
  search: (index: StoreIndex | undefined) => Promise<Result>,
): Promise<Result> {
  const index = conversations < fewConversations ? undefined : (await maintenanceOf(dataDir))?.index?.();
  if (index === undefined) return search(undefined);
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
