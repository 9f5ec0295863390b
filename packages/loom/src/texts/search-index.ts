import type { TextIndex } from '@loom/kernel/search';
import type { StoreIndex } from '@loom/stores/maintenance';

/** The index of a data folder; where its store has none, every conversation is opened. */
export interface FolderIndex extends TextIndex {
  /** Begins to follow the logs, for a process that stays; the folder must have been opened. */
  follow(): Promise<void>;
}

export interface FolderIndexOptions {
  /** The index is not started for a search through fewer conversations. */
  fewest?: number;
  /** The longest time for indexing new texts when the index is closed, in milliseconds: the next search goes on with it. */
  indexing?: number;
}

/** The index for a process that stays. */
export function createFolderIndex(dataDir: string, options: FolderIndexOptions = {}): FolderIndex {
  const { fewest = 0, indexing } = options;
  let opened: StoreIndex | undefined;
  let isFollowing = false;
  /** The number of callers that are closing it. */
  let closers = 0;
  const open = async (): Promise<StoreIndex | undefined> => {
    if (opened !== undefined || closers > 0) return opened;
    // Loads the text engine too, which a server without searches does not need.
    const { maintenanceOf } = await import('@loom/data-folder/upkeep');
    const maintenance = await maintenanceOf(dataDir);
    if (closers > 0) return undefined;
    return (opened ??= maintenance?.index?.());
  };
  const follow = async (): Promise<void> => {
    isFollowing = true;
    (await open())?.follow();
  };
  return {
    async *search(search) {
      const { roots } = search;
      const index = opened === undefined && roots.length < fewest ? undefined : await open();
      index?.start();
      yield* index?.search(search) ?? roots.map((root) => ({ type: 'unknown' as const, root }));
    },
    follow,
    async whileClosed(work) {
      closers += 1;
      const before = opened;
      opened = undefined;
      try {
        await before?.close();
        return await work();
      } finally {
        closers -= 1;
        if (isFollowing) await follow();
      }
    },
    async close() {
      if (indexing !== undefined) await opened?.ready(indexing);
      await opened?.close();
    },
  };
}

/** The index for one command: so few conversations are opened faster than threads are started. */
export function createCommandIndex(dataDir: string): FolderIndex {
  return createFolderIndex(dataDir, { fewest: 50, indexing: 1_000 });
}
