import type { ChangeItem, Decide, Decision, Request } from './log.ts';
import type { Refusal } from './refusal.ts';
import type { SnapshotWriter } from './snapshot/snapshots.ts';
import type { LogRecord } from './store.ts';

/** The state of a log as it is at hand. */
export interface Loaded<S extends { readonly seq: number }, Editor> {
  state: S;
  /** None before the first change. */
  epoch: string | undefined;
  editor: Editor | undefined;
  writer: SnapshotWriter<S> | undefined;
}

/** A change that was asked for, and how to answer. */
export interface Job<S, Op, Editor> {
  request: Request;
  /** Whether the log was asked for the request, and does not have it. */
  isNew: boolean;
  decide: Decide<S, Op, unknown, Editor>;
  answer: (seq: number, value: unknown) => void;
  refuse: (refusal: Refusal) => void;
  reject: (error: unknown) => void;
}

/** What a batch came to. */
export class Run<Event> {
  readonly records: LogRecord[] = [];
  readonly items: ChangeItem<Event>[] = [];
  readonly settled: (() => void)[] = [];

  /** Answers everybody; only once the changes are durable. */
  settle(): void {
    for (const settle of this.settled) settle();
  }
}

/** A decision asked for an editor and there is none yet. */
export class EditorMissing extends Error {}

export function decideWith<S extends { readonly seq: number }, Op, Editor>(
  { state, editor }: Loaded<S, Editor>,
  decide: Decide<S, Op, unknown, Editor>,
): Decision<Op, unknown> {
  return decide(state, () => {
    if (editor === undefined) throw new EditorMissing();
    return editor;
  });
}
