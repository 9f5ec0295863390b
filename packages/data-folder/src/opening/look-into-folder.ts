import { blocksWithoutTurn } from '@loom/kernel/logs';
import type { RootState } from '@loom/kernel';
import { openAdoptingReader } from '@loom/node-files';
import { createMemoryStore } from '@loom/stores/memory';
import { findStore, openStoreToLook } from './data-store.ts';
import { forgetWrites } from './forgetful-store.ts';
import { collectLost, keptLossesOf } from './lost-logs.ts';
import type { FolderOptions, OpenFolder } from './open-folder.ts';
import { findWriter, settleRestoration } from './writer-lock.ts';

export type LookOptions = Pick<FolderOptions, 'dataDir' | 'clock' | 'bookmarks' | 'news'>;

/** A data folder opened for reading only. Writes to its store are forgotten. */
export interface LookedAtFolder extends Pick<OpenFolder, 'store' | 'adoption' | 'lost' | 'close'> {
  /** Returns true if a process that has ended left the open parts of a conversation. */
  isOwnerless(state: RootState): Promise<boolean>;
}

/** Looks into a data folder. Makes nothing and takes no lock: if the folder does not exist, the store is empty. */
export async function lookIntoFolder({ dataDir, clock, bookmarks, news }: LookOptions): Promise<LookedAtFolder> {
  await settleRestoration(dataDir, news);
  const kind = await findStore(dataDir);
  const { lost, take, settle } = collectLost();
  const damagedList = (): void => news({ type: 'damaged-list' });
  const logs = kind && (await openStoreToLook(dataDir, kind, { lost: take, damagedList }));
  try {
    const options = { store: createMemoryStore(), directory: dataDir, clock, bookmarks, lost: take };
    if (kind !== undefined) for (const kept of await keptLossesOf(dataDir, kind)) take(kept);
    const { store, adoption } = await openAdoptingReader(logs, options, { findsUnlisted: kind === 'sqlite' });
    await settle(store);
    return {
      store: forgetWrites(store),
      adoption,
      lost,
      close: () => store.close(),
      async isOwnerless(state) {
        const writer = await findWriter(dataDir);
        if (writer !== undefined && blocksWithoutTurn(state).length > 0) return false;
        return [...state.liveTurns].every((turn) => state.turns.get(turn)?.holder !== writer?.holder);
      },
    };
  } catch (error) {
    await logs?.close();
    throw error;
  }
}
