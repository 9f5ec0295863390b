import type { Clock, Ids } from '../ports.ts';
import type { Store } from '../store.ts';

/** The parts a forest is made of, and the limits of what it keeps in memory. */
export interface ForestOptions {
  store: Store;
  clock: Clock;
  ids: Ids;
  /**
   * The number of changes after which the state of a root is kept, so that opening it does not read its whole log. By
   * default a thousand, and never in a store that forgets.
   */
  snapshotEvery?: number;
  /** True if existing snapshots are used; by default if any are made. For processes that only read what others write. */
  usesSnapshots?: boolean;
  /** The most nodes to keep in memory of conversations that are not in use, all together; 30,000 are about 60 MB. A long text counts as several. */
  nodesAtHand?: number;
  /** The most conversations to keep in memory that are not in use. */
  logsAtHand?: number;
  /** This process alone may write, so that no other one has to be told or heard. */
  exclusive?: boolean;
  /** Gets what listeners throw; nothing else comes of it. */
  listenerFailed?: (error: unknown) => void;
}
