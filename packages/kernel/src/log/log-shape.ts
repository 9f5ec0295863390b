import type { TextCursor } from '../cursor.ts';
import type { Refused } from '../refusal.ts';
import type { Change } from '../change.ts';

/** The state that the changes of a log build. */
export interface LogState<Op, Event> {
  readonly seq: number;
  apply(change: Change<Op>): Event[];
  /** The seq of the change that a request led to; it may be another request's, hardly ever. The log has the answer. */
  requestOf(agent: string, request: string): number | undefined;
}

/**
 * A writer's decision after a look at the state: ops with an answer, or a refusal. No ops: nothing is written. `time` is the
 * time of the event, in milliseconds since 1970, if that was not now: importers know it.
 */
export type Decision<Op, T> = { ok: true; ops: Op[]; value: T; time?: number } | Refused;

/** The ops to write. */
export type Decided<Op> = Extract<Decision<Op, unknown>, { ok: true }>;

/** One change as subscribers get it. `resync`: earlier items no longer hold; begin with a new snapshot. */
export type FeedItem<Event> =
  | { type: 'change'; epoch: string; seq: number; time: number; agent: string; turn?: string; events: Event[] }
  | { type: 'resync'; epoch: string }
  | { type: 'cursor'; cursor: TextCursor };

export type ChangeItem<Event> = Extract<FeedItem<Event>, { type: 'change' }>;

/** Decides what to do to the newest state. It may be run several times, and changes nothing that is logged. */
export type Decide<S, Op, T, Editor = null> = (state: S, editor: () => Editor) => Decision<Op, T>;
