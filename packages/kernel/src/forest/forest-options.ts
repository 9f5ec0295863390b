import type { Clock, Ids } from '../ports.ts';
import type { Store } from '../store.ts';

/** What a forest is handed, and how much it may keep in memory. */
export interface ForestOptions {
  store: Store;
  clock: Clock;
  ids: Ids;
  /**
   * After how many changes the state of a root is kept, so that opening it does not read its whole log. By default a
   * thousand, and never in a store that forgets.
   */
  snapshotEvery?: number;
  /** Whether snapshots that are there are used; by default if any are made. For processes that only read what others write. */
  usesSnapshots?: boolean;
  /** How many nodes may stay in memory of conversations that are not in use, all together; 30,000 are about 60 MB. A long text counts as several. */
  nodesAtHand?: number;
  /** How many conversations that are not in use may stay in memory. */
  logsAtHand?: number;
  /** Gets what listeners throw; nothing else comes of it. */
  listenerFailed?: (error: unknown) => void;
}
