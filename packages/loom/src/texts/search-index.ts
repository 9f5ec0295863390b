import type { TextIndex } from '@loom/kernel/search';
import { maintenanceOf } from '@loom/data-folder/upkeep';

/**
 * The index of a data folder, for one command: it is started by a search through so much that starting it pays. What is new is entered
 * into the index afterwards, for a moment: the next search goes on with it.
 */
export function createSearchIndex(dataDir: string): TextIndex {
  return {
    async *search(search) {
      const { roots } = search;
      const index = roots.length < fewConversations ? undefined : (await maintenanceOf(dataDir))?.index?.();
      if (index === undefined) {
        for (const root of roots) yield { type: 'unknown', root };
        return;
      }
      index.start();
      try {
        yield* index.search(search);
      } finally {
        await index.ready(indexMilliseconds);
        await index.close();
      }
    },
    close: () => Promise.resolve(),
  };
}

/** So many are opened faster than threads are started. */
const fewConversations = 50;
const indexMilliseconds = 1_000;
