import type { Cursor } from '../cursor.ts';
import type { Change } from '../change.ts';
import type { ChangeItem, Decide, Decided, Decision, LogState } from './log-shape.ts';
import { keptRequest, readKept } from '../request.ts';
import type { Request } from '../request.ts';
import type { Clock } from '../ports.ts';
import type { Refusal } from '../refusal.ts';
import type { SnapshotWriter } from '../snapshot/snapshots.ts';
import { StoreError } from '../store.ts';
import type { LogHead } from '../store.ts';
import { Unprepared } from './unprepared.ts';

/** The state of a log as it is loaded. */
export interface Loaded<S extends { readonly seq: number }, Editor> {
  state: S;
  /** None before the first change. */
  epoch: string | undefined;
  editor: Editor | undefined;
  writer: SnapshotWriter<S> | undefined;
  /** The last head that was written since then. */
  head: LogHead | undefined;
}

/** A change that was asked for, and how to answer. */
export interface Job<S, Op, Editor> {
  request: Request;
  /** True if the log was asked for the request and does not have it. */
  isNew: boolean;
  /** Only changes after this seq can hold the request, if it may have been made before. */
  doubtfulAfter: number | undefined;
  decide: Decide<S, Op, unknown, Editor>;
  answer: (cursor: Cursor, value: unknown) => void;
  refuse: (refusal: Refusal) => void;
  reject: (error: unknown) => void;
}

/** The heads that show a log in lists. */
export interface Heads<S, Op> {
  of(state: S): LogHead;
  /** Returns true if a head still holds after some ops that led to a state, as far as a list needs it. */
  keeps(ops: readonly Op[], before: LogHead, state: S): boolean;
  /** Called when a head may say something else from now on: with the head that this writer has written, or without it where changes of others were read. */
  changed(written?: LogHead): void;
}

/** The changes a batch produced and the callers to answer once they are durable. */
export class Run<Op, Event> {
  readonly changes: Change<Op>[] = [];
  readonly items: ChangeItem<Event>[] = [];
  readonly answers: (() => void)[] = [];

  /** Calls back every caller; only once the changes are durable. */
  answer(): void {
    for (const answer of this.answers) answer();
  }
}

/**
 * The head to write with a batch. The first one after the state was loaded is always written: the stored one may be missing.
 */
export function headAfter<S extends { readonly seq: number }, Op, Event>(
  heads: Pick<Heads<S, Op>, 'of' | 'keeps'> | undefined,
  { state, head }: Pick<Loaded<S, unknown>, 'state' | 'head'>,
  { changes }: Run<Op, Event>,
): { head?: LogHead | 'same' } {
  if (heads === undefined) return {};
  const isKept =
    head !== undefined &&
    heads.keeps(
      changes.flatMap(({ ops }) => ops),
      head,
      state,
    );
  return { head: isKept ? 'same' : heads.of(state) };
}

/** A function that needs something which is not there yet, and those behind it. */
export interface Interrupted<S, Op, Editor> {
  missing: Unprepared;
  jobs: readonly Job<S, Op, Editor>[];
}

/** Makes what the first of some functions needs. Returns those that can be run now. */
export async function prepareFirst<S, Op, Editor, Event>(
  { missing, jobs }: Interrupted<S, Op, Editor>,
  { answers }: Run<Op, Event>,
  pause: () => Promise<void>,
): Promise<readonly Job<S, Op, Editor>[]> {
  try {
    await missing.prepare(pause);
    return jobs;
  } catch (error) {
    if (error instanceof StoreError) throw error;
    answers.push(() => jobs[0]?.reject(error));
    return jobs.slice(1);
  }
}

export function decideWith<S extends { readonly seq: number }, Op, Editor>(
  loaded: Loaded<S, Editor>,
  decide: Decide<S, Op, unknown, Editor>,
  createEditor: () => Promise<Editor>,
): Decision<Op, unknown> {
  return decide(loaded.state, () => {
    if (loaded.editor !== undefined) return loaded.editor;
    throw new Unprepared(async () => {
      loaded.editor = await createEditor();
    });
  });
}

/** Finds the changes that earlier tries of some jobs have led to, among those that the log holds up to a state. */
export async function findMade<S extends { readonly seq: number }, Op, Editor>(
  jobs: readonly Job<S, Op, Editor>[],
  seq: number,
  past: { between(afterSeq: number, throughSeq?: number): Promise<{ changes: readonly Change<Op>[] }> },
): Promise<ReadonlyMap<Job<S, Op, Editor>, Change<Op>>> {
  const doubtful = jobs.filter(({ doubtfulAfter }) => doubtfulAfter !== undefined && doubtfulAfter < seq);
  const made = new Map<Job<S, Op, Editor>, Change<Op>>();
  if (doubtful.length === 0) return made;
  const { changes } = await past.between(Math.min(...doubtful.map(({ doubtfulAfter = 0 }) => doubtfulAfter)), seq);
  const known = new Map(changes.map((change) => [requestKey(change.agent, readKept(change.request).id), change]));
  for (const job of doubtful) {
    const change = known.get(requestKey(job.request.agent, job.request.id));
    if (change !== undefined) made.set(job, change);
  }
  return made;
}

function requestKey(agent: string, id: string): string {
  return JSON.stringify([agent, id]);
}

/** The changes read to bring a state up to date. */
export interface LoadedChanges<S extends { readonly seq: number }, Op, Editor> {
  loaded: Loaded<S, Editor>;
  changes: Change<Op>[];
  /** True if the state is another one than before. */
  isFresh: boolean;
}

/** The change that a decision makes. */
export function makeChange<S extends { readonly seq: number }, Op>(
  { clock, timeOf }: { clock: Clock; timeOf?: (state: S) => number },
  state: S,
  request: Request,
  { ops, value, time = timeOf === undefined ? clock.now() : timeOf(state) }: Decided<Op>,
): Change<Op> {
  const { agent, turn } = request;
  const change: Change<Op> = { seq: state.seq + 1, time, agent, request: keptRequest(request), ops };
  if (turn !== undefined) change.turn = turn;
  if (value !== undefined) change.result = value;
  return change;
}

export function applyChange<Op, Event>(
  state: LogState<Op, Event>,
  epoch: string,
  change: Change<Op>,
): ChangeItem<Event> {
  const events = state.apply(change);
  const { seq, time, agent, turn } = change;
  const item = { type: 'change' as const, epoch, seq, time, agent, events };
  return turn === undefined ? item : { ...item, turn };
}
