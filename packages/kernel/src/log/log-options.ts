import type { Change } from '../change.ts';
import type { Clock } from '../ports.ts';
import type { Snapshots } from '../snapshot/snapshots.ts';
import type { Store } from '../store.ts';
import type { ChangeCodec } from './codec/change-codec.ts';
import type { Heads } from './log-batch.ts';
import type { Followers } from './log-listeners.ts';

export interface LogOptions<S, Op, Event, Editor = null> {
  name: string;
  store: Store;
  clock: Clock;
  /** The time of a change that is made now; by default what the clock says. */
  timeOf?: (state: S) => number;
  codec: ChangeCodec<Op>;
  createState: () => S;
  /** Takes changes that were not written out of a state again; false if it cannot. Without it such a state is dropped and read anew. */
  takeBack?: (state: S, changes: readonly Change<Op>[]) => boolean;
  /** The storage of states, and the number of changes between two. Without it every opening reads the whole log. */
  snapshots?: Snapshots<S> & { every: number };
  /** Makes what some decisions need beside a state, when the first of them asks; it is dropped with the state. */
  createEditor: () => Promise<Editor>;
  followers?: Followers<Event>;
  /** The heads of the log, for lists; without them the log has none. */
  heads?: Heads<S, Op>;
  /** Gets what listeners throw; nothing else comes of it. */
  listenerFailed?: ((error: unknown) => void) | undefined;
}
