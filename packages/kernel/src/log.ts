import type { z } from 'zod';
import type { Change, ChangeCodec } from './change.ts';
import type { Cursor } from './feed.ts';
import type { Clock } from './ports.ts';
import type { Outcome, Refusal } from './refusal.ts';
import type { LogContents, Store } from './store.ts';

/** What a log is reduced to. */
export interface LogState<Op, Event> {
  readonly seq: number;
  apply(change: Change<Op>): Event[];
  requestOf(agent: string, request: string): { seq: number; result: unknown } | undefined;
}

/** Who asks, and for what. */
export interface Request {
  agent: string;
  /** Repeating a request with the same id is safe: it is done once and answered every time. */
  id: string;
  turn?: string;
}

/** What a writer wants, after a look at the state: ops with an answer, or a refusal. No ops: nothing is written. */
export type Decision<Op, T> = { ok: true; ops: Op[]; value: T } | { ok: false; refusal: Refusal };

/** One change as subscribers get it. `resync`: what came before does not hold any more; begin with a new snapshot. */
export type FeedItem<Event> =
  | { type: 'change'; epoch: string; seq: number; time: number; agent: string; turn?: string; events: Event[] }
  | { type: 'resync'; epoch: string };

export interface LogOptions<S, Op> {
  name: string;
  store: Store;
  clock: Clock;
  codec: ChangeCodec<Op>;
  createState: () => S;
}

/**
 * One log: the only way to write to it, and the state that it is reduced to. Changes come from functions that look at
 * the newest state; if another writer was faster they are run again on what that one wrote. A change is durable before
 * anybody but the functions behind it in the same batch can see it.
 */
export class Log<S extends LogState<Op, Event>, Op, Event> {
  readonly #options: LogOptions<S, Op>;
  readonly #listeners = new Set<(item: FeedItem<Event>) => void>();
  readonly #stopListening: () => void;
  #queue: Job<S, Op>[] = [];
  #tail: Promise<unknown> = Promise.resolve();
  #loaded: Loaded<S> | undefined;
  /** What subscribers have been told so far. */
  #delivered: Cursor | undefined;
  #stale = false;

  constructor(options: LogOptions<S, Op>) {
    this.#options = options;
    this.#stopListening = options.store.listen(options.name, () => {
      this.#stale = true;
      // Somebody who only listens must hear of other writers too.
      if (this.#listeners.size > 0) this.state().catch(() => {});
    });
  }

  /** The durable state, with everything that other writers have made known. Valid until the next await. */
  state(): Promise<S> {
    return this.#exclusively(async () => (await this.#load()).state);
  }

  /**
   * Something read from the durable state, with the place in the log that it belongs to. A client subscribes, reads,
   * drops what it has heard up to that place, and applies the rest.
   */
  read<T>(read: (state: S) => T): Promise<{ cursor: Cursor; value: T }> {
    return this.#exclusively(async () => {
      const { state, epoch } = await this.#load();
      return { cursor: { epoch: epoch ?? '', seq: state.seq }, value: read(state) };
    });
  }

  async cursor(): Promise<Cursor> {
    return (await this.read(() => null)).cursor;
  }

  /**
   * Asks for a change. Rejects when the store fails: then nobody knows whether the change was written, and repeating the
   * request with the same id finds out.
   */
  append<T>(request: Request, schema: z.ZodType<T>, decide: (state: S) => Decision<Op, T>): Promise<Outcome<T>> {
    return new Promise((resolve, reject) => {
      this.#queue.push({
        request,
        decide,
        answer: (seq, value) => resolve({ ok: true, value: schema.parse(value), seq }),
        refuse: (refusal) => resolve({ ok: false, refusal }),
        reject,
      });
      // Whatever else is asked for until it is this batch's turn shares its write.
      if (this.#queue.length === 1) void this.#exclusively(() => this.#writeBatch());
    });
  }

  /** Calls back for every change that becomes durable from now on. Returns how to stop. */
  subscribe(listener: (item: FeedItem<Event>) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  /** What a subscriber at a cursor has missed, or that it has to begin anew. */
  async replay(cursor: Cursor): Promise<FeedItem<Event>[]> {
    const { name, store, codec, createState } = this.#options;
    const contents = await store.read(name, 0);
    const epoch = contents?.epoch ?? '';
    if (contents === undefined || epoch !== cursor.epoch || cursor.seq > contents.records.length) {
      return [{ type: 'resync', epoch }];
    }
    const state = createState();
    const items = contents.records.map(({ text }) => applyChange(state, epoch, codec.decode(text)));
    return items.slice(cursor.seq);
  }

  /** The state as it was right after a change, reduced anew: for those who have to look back. */
  async stateAt(seq: number): Promise<S> {
    const { name, store, codec, createState } = this.#options;
    const contents = await store.read(name, 0);
    const state = createState();
    for (const record of contents?.records ?? []) if (record.seq <= seq) state.apply(codec.decode(record.text));
    return state;
  }

  close(): void {
    this.#stopListening();
    this.#listeners.clear();
  }

  /** Reads and writes one after the other, so that nobody sees a state that is not durable yet. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work, work);
    this.#tail = done;
    return done;
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#queue;
    this.#queue = [];
    try {
      await this.#write(batch);
    } catch (error) {
      // Whether the batch was written is unknown, so nothing that was thought since then holds.
      this.#loaded = undefined;
      for (const job of [...batch, ...this.#queue]) job.reject(error);
      this.#queue = [];
    }
  }

  async #write(batch: readonly Job<S, Op>[]): Promise<void> {
    const { name, store, codec } = this.#options;
    for (;;) {
      const loaded = await this.#load();
      const expectedSeq = loaded.state.seq;
      const { changes, items, settle } = this.#run(loaded, batch);
      if (changes.length === 0) return settle();
      const records = changes.map((change) => ({ seq: change.seq, text: codec.encode(change) }));
      const result = await store.append(name, { epoch: loaded.epoch, expectedSeq, records });
      if (result.ok) {
        loaded.epoch = result.epoch;
        settle();
        for (const item of items) this.#deliver({ ...item, epoch: result.epoch });
        return;
      }
      this.#loaded = undefined;
    }
  }

  /** Runs the functions of a batch one after the other, each on what the ones before it did. */
  #run({ state, epoch = '' }: Loaded<S>, batch: readonly Job<S, Op>[]): Run<Op, Event> {
    const run: Run<Op, Event> = { changes: [], items: [], settle: () => settled.forEach((settle) => settle()) };
    const settled: (() => void)[] = [];
    for (const { request, decide, answer, refuse, reject } of batch) {
      const known = state.requestOf(request.agent, request.id);
      if (known !== undefined) {
        settled.push(() => answer(known.seq, known.result));
        continue;
      }
      let decision: Decision<Op, unknown>;
      try {
        decision = decide(state);
      } catch (error) {
        settled.push(() => reject(error));
        continue;
      }
      if (!decision.ok) {
        const { refusal } = decision;
        settled.push(() => refuse(refusal));
        continue;
      }
      const { ops, value } = decision;
      if (ops.length > 0) {
        const change = this.#makeChange(state.seq + 1, request, ops, value);
        run.items.push(applyChange(state, epoch, change));
        run.changes.push(change);
      }
      const { seq } = state;
      settled.push(() => answer(seq, value));
    }
    return run;
  }

  #makeChange(seq: number, { agent, id, turn }: Request, ops: Op[], value: unknown): Change<Op> {
    const change: Change<Op> = { seq, time: this.#options.clock.now(), agent, request: id, ops };
    if (turn !== undefined) change.turn = turn;
    if (value !== undefined) change.result = value;
    return change;
  }

  /** Brings the state up to date: everything if there is none, else what others have written. */
  async #load(): Promise<Loaded<S>> {
    if (this.#loaded !== undefined && !this.#stale) return this.#loaded;
    const { name, store, codec, createState } = this.#options;
    this.#stale = false;
    const known = this.#loaded;
    let contents: LogContents | undefined;
    try {
      contents = await store.read(name, known?.state.seq ?? 0);
      if (known !== undefined && known.epoch !== contents?.epoch) contents = await store.read(name, 0);
    } catch (error) {
      // What woke this log has still not been read.
      this.#stale = true;
      throw error;
    }
    const fresh = known === undefined || known.epoch !== contents?.epoch;
    const loaded = fresh ? { state: createState(), epoch: contents?.epoch } : known;
    const epoch = loaded.epoch ?? '';
    // A log that was empty when it was first looked at has no epoch yet; its first one is no new beginning.
    const before = this.#delivered;
    const restarted = fresh && before !== undefined && before.epoch !== '' && before.epoch !== epoch;
    const items = (contents?.records ?? []).map(({ text }) => applyChange(loaded.state, epoch, codec.decode(text)));
    this.#loaded = loaded;
    if (restarted) this.#publish({ type: 'resync', epoch });
    if (restarted || before === undefined) this.#delivered = { epoch, seq: loaded.state.seq };
    else for (const item of items) this.#deliver(item);
    return loaded;
  }

  #deliver(item: ChangeItem<Event>): void {
    const { epoch, seq } = item;
    if (this.#delivered !== undefined && this.#delivered.epoch === epoch && this.#delivered.seq >= seq) return;
    this.#delivered = { epoch, seq };
    this.#publish(item);
  }

  #publish(item: FeedItem<Event>): void {
    for (const listener of this.#listeners) listener(item);
  }
}

type ChangeItem<Event> = Extract<FeedItem<Event>, { type: 'change' }>;

interface Loaded<S> {
  state: S;
  /** None before the first change. */
  epoch: string | undefined;
}

interface Run<Op, Event> {
  changes: Change<Op>[];
  items: ChangeItem<Event>[];
  /** Answers everybody; only once the changes are durable. */
  settle: () => void;
}

interface Job<S, Op> {
  request: Request;
  decide: (state: S) => Decision<Op, unknown>;
  answer: (seq: number, value: unknown) => void;
  refuse: (refusal: Refusal) => void;
  reject: (error: unknown) => void;
}

function applyChange<Op, Event>(state: LogState<Op, Event>, epoch: string, change: Change<Op>): ChangeItem<Event> {
  const events = state.apply(change);
  const { seq, time, agent, turn } = change;
  const item = { type: 'change' as const, epoch, seq, time, agent, events };
  return turn === undefined ? item : { ...item, turn };
}
