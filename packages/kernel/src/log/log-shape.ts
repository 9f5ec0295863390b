import type { TextCursor } from '../cursor.ts';
import type { Refused } from '../refusal.ts';
import type { Change } from '../change.ts';

/** What a log is reduced to. */
export interface LogState<Op, Event> {
  readonly seq: number;
  apply(change: Change<Op>): Event[];
  /** The seq of the change that a request led to; it may be another request's, hardly ever. The log has the answer. */
  requestOf(agent: string, request: string): number | undefined;
}

/**
 * What a writer wants, after a look at the state: ops with an answer, or a refusal. No ops: nothing is written. `time` is when what is written happened, in
 * milliseconds since 1970, where that was not now: importers know it.
 */
export type Decision<Op, T> = { ok: true; ops: Op[]; value: T; time?: number } | Refused;

/** What is to be written. */
export type Decided<Op> = Extract<Decision<Op, unknown>, { ok: true }>;

/** One change as subscribers get it. `resync`: what came before does not hold any more; begin with a new snapshot. */
export type FeedItem<Event> =
  | { type: 'change'; epoch: string; seq: number; time: number; agent: string; turn?: string; events: Event[] }
  | { type: 'resync'; epoch: string }
  | { type: 'cursor'; cursor: TextCursor };

export type ChangeItem<Event> = Extract<FeedItem<Event>, { type: 'change' }>;

/** What a writer wants to do to the newest state. It may be run several times, and changes nothing that is logged. */
export type Decide<S, Op, T, Editor = null> = (state: S, editor: () => Editor) => Decision<Op, T>;
