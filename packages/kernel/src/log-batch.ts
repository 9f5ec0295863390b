import type { Cursor } from './feed.ts';
import type { ChangeItem, Decide, Decision, Request } from './log.ts';
import type { Refusal } from './refusal.ts';
import type { SnapshotWriter } from './snapshot/snapshots.ts';
import { StoreError } from './store.ts';
import type { LogRecord } from './store.ts';
import { Unprepared } from './unprepared.ts';

/** The state of a log as it is loaded. */
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
  answer: (cursor: Cursor, value: unknown) => void;
  refuse: (refusal: Refusal) => void;
  reject: (error: unknown) => void;
}

/** What a batch came to. */
export class Run<Event> {
  readonly records: LogRecord[] = [];
  readonly items: ChangeItem<Event>[] = [];
  readonly answers: (() => void)[] = [];

  /** Answers every caller; only once the changes are durable. */
  answer(): void {
    for (const answer of this.answers) answer();
  }
}

/** A function that needs something which is not there yet, and those behind it. */
export interface Interrupted<S, Op, Editor> {
  missing: Unprepared;
  jobs: readonly Job<S, Op, Editor>[];
}

/** Makes what the first of some functions needs. Answers with those that can be run now. */
export async function prepareFirst<S, Op, Editor, Event>(
  { missing, jobs }: Interrupted<S, Op, Editor>,
  { answers }: Run<Event>,
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
