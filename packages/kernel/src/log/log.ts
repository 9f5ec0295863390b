import type { z } from 'zod';
import type { Change } from '../change.ts';
import { committedOf, CommittedReads } from './committed-reads.ts';
import type { Cursor, TextCursor } from '../cursor.ts';
import { applyChange, decideWith, findMade, headAfter, makeChange, prepareFirst, Run } from './log-batch.ts';
import type { Interrupted, Job, Loaded, LoadedChanges } from './log-batch.ts';
import { LogPast } from './log-past.ts';
import { LogListeners } from './log-listeners.ts';
import type { ChangeItem, Decide, Decision, FeedItem, LogState } from './log-shape.ts';
import type { LogOptions } from './log-options.ts';
import { refuse } from '../refusal.ts';
import type { Written } from '../refusal.ts';
import { SnapshotWriter } from '../snapshot/snapshots.ts';
import { foldRecords } from './record-groups.ts';
import { readKept, refuseMalformed } from '../request.ts';
import type { Request } from '../request.ts';
import { Unprepared } from './unprepared.ts';

/**
 * One log: the only way to write to it, and the state that it is reduced to. Changes come from functions that look at
 * the newest state; if another writer was faster they are run again on what that one wrote. A change is durable before
 * any reader can see it, except the functions behind it in the same batch.
 */
export class Log<S extends LogState<Op, Event>, Op, Event, Editor = null> {
  readonly #options: LogOptions<S, Op, Event, Editor>;
  readonly #listeners: LogListeners<Event>;
  readonly #reads: CommittedReads<S, Op>;
  /** The log as the store holds it, without this writer. */
  readonly past: LogPast<S, Op, Event>;
  /** Stops hearing of other writers' appends; there only while something depends on them. */
  #stopListening: (() => void) | undefined;
  #queue: Job<S, Op, Editor>[] = [];
  #tail: Promise<unknown> = Promise.resolve();
  #loaded: Loaded<S, Editor> | undefined;
  /** The last position that subscribers have heard. */
  #delivered: Cursor | undefined;
  #stale = false;
  /** True while the state has something in it that is not durable. */
  #isAhead = false;
  #isWriting = false;
  /** The number of next batches that look for other writers' changes before they run. */
  #looks = 0;
  /** The number of reads and writes that are under way or wait for their turn. */
  #busy = 0;
  #isClosed = false;
  /** Up to which seq this process has folded records. */
  #folded = 0;
  /** The number of records of one change that it has written since. */
  #loose = 0;

  constructor(options: LogOptions<S, Op, Event, Editor>) {
    this.#options = options;
    const { name, followers = new Set() } = options;
    this.#listeners = new LogListeners(name, followers, (error) => this.listenerFailed(error));
    this.past = new LogPast(options);
    this.#reads = new CommittedReads({
      clock: options.clock,
      current: () => (this.#isAhead || this.#stale || !this.#loaded ? undefined : committedOf(this.#loaded)),
      isWriting: () => this.#isWriting || this.#queue.length > 0,
      exclusively: (work) => this.#exclusively(async () => work(committedOf(await this.#load()))),
      loadApart: () => this.past.newest(),
    });
  }

  /** The durable state with everything that was asked for before: for writers. Valid until the next await. */
  state(): Promise<S> {
    return this.#exclusively(async () => (await this.#load()).state);
  }

  /**
   * Reads something from the last committed state, with the place in the log that it belongs to: no reader waits for a
   * writer. A client subscribes, reads, drops the events it has heard up to that place, and applies the rest.
   */
  read<T>(read: (state: S, cursor: Cursor) => T): Promise<{ cursor: Cursor; value: T }> {
    return this.#whileBusy(() =>
      this.#reads.read(({ state, epoch }) => {
        const cursor = { epoch, seq: state.seq };
        return { cursor, value: read(state, cursor) };
      }),
    );
  }

  async cursor(): Promise<Cursor> {
    return (await this.read(() => null)).cursor;
  }

  /**
   * Asks for a change. Rejects when the store fails: then it is unknown whether the change was written, and repeating the
   * request with the same id finds out. Requests of turns are not remembered: such a repetition says `after` which seq to look.
   */
  append<T>(
    request: Request,
    schema: z.ZodType<T>,
    decide: Decide<S, Op, T, Editor>,
    after?: number,
  ): Promise<Written<T>> {
    const malformed = refuseMalformed(request);
    if (malformed !== undefined) return Promise.resolve(malformed);
    let decision: Decision<Op, T> | undefined;
    return new Promise((resolve, reject) => {
      this.#enqueue({
        request,
        isNew: false,
        doubtfulAfter: after,
        decide: (state, editor) => (decision = decide(state, editor)),
        answer: (cursor, value) => {
          if (decision?.ok === true && decision.value === value)
            return resolve({ ok: true, value: decision.value, cursor });
          const parsed = schema.safeParse(value);
          if (parsed.success) resolve({ ok: true, value: parsed.data, cursor });
          // The answer that is known belongs to another question.
          else resolve(refuse({ reason: 'request-reused', id: request.id }));
        },
        refuse: (refusal) => resolve({ ok: false, refusal }),
        reject,
      });
    });
  }

  /** Calls back for every change that becomes durable from now on. Returns how to stop. */
  subscribe(listener: (item: FeedItem<Event>) => void): () => void {
    this.#listen();
    return this.#listeners.add(listener);
  }

  /** Tells every subscriber in this process where an agent is in a text. */
  announce(cursor: TextCursor): void {
    this.#listeners.tell({ type: 'cursor', cursor });
  }

  /** Keeps the changes after a seq in fewer, longer records and loses nothing. Records that other writers add meanwhile stay. */
  compact(afterSeq: number): Promise<void> {
    return this.#exclusively(async () => {
      // Turns may run side by side; what one of them has folded is not folded again.
      this.#folded = await foldRecords(this.#options, Math.max(afterSeq, this.#folded));
      this.#loose = 0;
      // A turn is over: readers will hardly meet an append now.
      this.#reads.forget();
    });
  }

  /** Makes a snapshot for the next process that opens the log, if that saves something; `onlyDue`: if a rush of changes has put it off. */
  async saveSnapshot({ onlyDue = false } = {}): Promise<void> {
    if (this.#loaded?.writer === undefined) return;
    await this.#exclusively(async () => {
      const loaded = await this.#load();
      if (loaded.writer?.isWorthwhile(loaded.state, onlyDue) === true) await this.#makeSnapshot(loaded);
    });
  }

  /** The state if it is loaded. Another process may have written more. */
  get loaded(): S | undefined {
    return this.#loaded?.state;
  }

  /** The last change of the state that readers see, if it is loaded and no append is under way. */
  get committedSeq(): number | undefined {
    return this.#isAhead ? undefined : this.#loaded?.state.seq;
  }

  /** True if it has to stay: it has subscribers, or something is being read or written. */
  get isInUse(): boolean {
    return this.#listeners.hasOwn || this.#busy > 0;
  }

  /** Lets go of everything that it holds, unless it is in use. Returns true if it did; it can be used all the same. */
  async release(): Promise<boolean> {
    if (this.#listeners.hasOwn) return false;
    await this.#exclusively(async () => {
      const loaded = this.#loaded;
      await loaded?.writer?.idle();
      if (loaded?.writer?.isOwed(loaded.state) === true && !this.#stale) await this.#makeSnapshot(loaded);
      if (this.#queue.length === 0) this.#loaded = undefined;
    });
    return this.#loaded === undefined && this.releaseAtOnce();
  }

  /** The same without a snapshot. */
  releaseAtOnce(): boolean {
    if (this.isInUse) return false;
    this.#loaded = undefined;
    this.#reads.forget();
    this.#stopListening?.();
    this.#stopListening = undefined;
    return true;
  }

  /** True if it should be kept as a snapshot before it is released. */
  get isOwedSnapshot(): boolean {
    return this.#loaded?.writer?.isOwed(this.#loaded.state) === true;
  }

  close(): void {
    this.#isClosed = true;
    this.#stopListening?.();
    this.#listeners.clear();
  }

  /** Passes on what a listener threw. */
  listenerFailed(error: unknown): void {
    this.#options.listenerFailed?.(error);
  }

  #listen(): void {
    if (this.#isClosed) return;
    const { store, name } = this.#options;
    this.#stopListening ??= store.listen(name, (seq = Infinity) => {
      // Its own appends wake it too. If they fail it catches up anyway.
      if (this.#loaded !== undefined && seq <= this.#loaded.state.seq) return;
      this.#stale = true;
      this.#reads.forget();
      this.#catchUp();
    });
  }

  /** Reads and writes one after the other, so that no caller sees a state that is not durable yet. */
  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#whileBusy(() => this.#runAfter(this.#tail, work));
    this.#tail = done;
    return done;
  }

  // Written out: what promises offer for it makes several more of them, for every edit.
  async #runAfter<T>(before: Promise<unknown>, work: () => Promise<T>): Promise<T> {
    try {
      await before;
    } catch {
      // Its caller was told.
    }
    return work();
  }

  async #whileBusy<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    try {
      return await work();
    } finally {
      this.#busy -= 1;
    }
  }

  /** Reads what other processes have written, if there are subscribers. */
  #catchUp(): void {
    if (!this.#listeners.isHeard || this.#isClosed) return;
    // A subscriber must go on hearing changes after the store failed once.
    this.state().catch(() => this.#options.clock.after(retryDelay, () => this.#catchUp()));
  }

  async #writeBatch(): Promise<void> {
    const batch = this.#queue;
    this.#queue = [];
    this.#isWriting = true;
    try {
      await this.#write(batch);
    } catch (error) {
      // The batch may or may not have been written, so nothing that was decided since then holds.
      this.#drop();
      for (const job of [...batch, ...this.#queue]) job.reject(error);
      this.#queue = [];
      this.#catchUp();
    } finally {
      this.#isWriting = false;
    }
  }

  /** Lets go of a state that cannot be made what the log holds. */
  #drop(): void {
    this.#loaded = undefined;
    this.#isAhead = false;
    this.#reads.forget();
  }

  /** Keeps a state that is again as it was before a batch, and lacks what another writer wrote. */
  #wait(): void {
    this.#stale = true;
    this.#isAhead = false;
    this.#reads.forget();
  }

  async #write(batch: readonly Job<S, Op, Editor>[]): Promise<void> {
    const { name, store, heads, codec } = this.#options;
    for (;;) {
      if (this.#looks > 0) {
        this.#looks -= 1;
        this.#stale = true;
      }
      const loaded = this.#loaded === undefined || this.#stale ? await this.#load() : this.#loaded;
      const expectedSeq = loaded.state.seq;
      const made = await findMade(batch, expectedSeq, this.past);
      const run = new Run<Op, Event>();
      this.#isAhead = true;
      let left = this.#run(loaded, batch, run, made);
      while (left !== undefined) left = this.#run(loaded, await prepareFirst(left, run, this.#pause), run, made);
      const { changes, items } = run;
      if (changes.length === 0) return this.#settle(loaded, run);
      const records = codec.encodeBatch(changes);
      const head = headAfter(heads, loaded, run);
      const format = codec.formatOf(changes);
      const result = await store.append(name, { epoch: loaded.epoch, expectedSeq, records, ...head, ...format });
      if (result.ok) {
        if (typeof head.head === 'object') loaded.head = head.head;
        loaded.epoch = result.epoch;
        this.#settle(loaded, run);
        for (const item of items) this.#deliver({ ...item, epoch: result.epoch });
        if (typeof head.head === 'object') heads?.changed(head.head);
        loaded.writer?.noteWritten(records, changes.length);
        if (records.length === changes.length) this.#loose += records.length;
        if (loaded.writer?.isDue(loaded.state, changes.length) === true) void this.#makeSnapshot(loaded);
        return;
      }
      if (this.#options.takeBack?.(loaded.state, changes) === true) this.#wait();
      else this.#drop();
      this.#looks = looksAfterConflict;
    }
  }

  /** Settles a durable state: readers may see it, and the writers are answered. */
  #settle(loaded: Loaded<S, Editor>, run: Run<Op, Event>): void {
    this.#isAhead = false;
    this.#reads.caughtUp(committedOf(loaded), run.changes);
    run.answer();
  }

  /**
   * Runs the functions of a batch one after the other, each on the result of the ones before it. Returns the functions that
   * are left when one of them needs something that is not there yet.
   */
  #run(
    loaded: Loaded<S, Editor>,
    batch: readonly Job<S, Op, Editor>[],
    run: Run<Op, Event>,
    made: ReadonlyMap<Job<S, Op, Editor>, Change<Op>>,
  ): Interrupted<S, Op, Editor> | undefined {
    const { state, epoch = '' } = loaded;
    const { answers } = run;
    for (const [index, job] of batch.entries()) {
      const { request, decide, answer, reject } = job;
      const before = made.get(job);
      if (before !== undefined) {
        answers.push(() => answer({ epoch, seq: before.seq }, before.result));
        continue;
      }
      const known = job.isNew ? undefined : state.requestOf(request.agent, request.id);
      if (known !== undefined) {
        answers.push(() => void this.#answerAgain(known, job));
        continue;
      }
      let decision: Decision<Op, unknown>;
      try {
        decision = decideWith(loaded, decide, this.#options.createEditor);
      } catch (error) {
        if (error instanceof Unprepared) return { missing: error, jobs: batch.slice(index) };
        answers.push(() => reject(error));
        continue;
      }
      if (!decision.ok) {
        const { refusal } = decision;
        answers.push(() => job.refuse(refusal));
        continue;
      }
      const { ops, value } = decision;
      if (ops.length > 0) {
        const admitted = this.#options.codec.admit(makeChange(this.#options, state, request, decision));
        if (!admitted.ok) {
          const { refusal } = refuse({ reason: 'invalid-params', problems: admitted.problems });
          answers.push(() => job.refuse(refusal));
          continue;
        }
        const { change } = admitted;
        run.items.push(applyChange(state, epoch, change));
        run.changes.push(change);
      }
      const { seq } = state;
      // A log gets its epoch with its first change.
      answers.push(() => answer({ epoch: loaded.epoch ?? '', seq }, value));
    }
    return undefined;
  }

  /** Lets others have their turn. */
  readonly #pause = (): Promise<void> => new Promise((resolve) => void this.#options.clock.after(0, resolve));

  /** Repeats the answer to a request that was done before, which only the log knows. */
  async #answerAgain(seq: number, job: Job<S, Op, Editor>): Promise<void> {
    const { agent, id, digest } = job.request;
    try {
      const { epoch, changes } = await this.past.between(seq - 1, seq);
      const change = changes.find((candidate) => candidate.seq === seq);
      const kept = readKept(change?.request ?? '');
      if (change?.agent === agent && kept.id === id) {
        const isSame = kept.digest === undefined || digest === undefined || kept.digest === digest;
        if (isSame) job.answer({ epoch, seq }, change.result);
        else job.refuse({ reason: 'request-reused', id });
      }
      // The state was not certain, and it is another request.
      else this.#enqueue({ ...job, isNew: true });
    } catch (error) {
      job.reject(error);
    }
  }

  /** Adds a job to the next batch: all jobs that arrive before it runs share its write. */
  #enqueue(job: Job<S, Op, Editor>): void {
    this.#queue.push(job);
    if (this.#queue.length === 1) void this.#exclusively(() => this.#writeBatch());
  }

  /** Brings the state up to date: reads everything if there is none, else the changes of others. */
  async #load(): Promise<Loaded<S, Editor>> {
    if (this.#loaded !== undefined && !this.#stale) return this.#loaded;
    this.#listen();
    this.#stale = false;
    let read: LoadedChanges<S, Op, Editor>;
    try {
      read = (this.#loaded && (await this.#readTail(this.#loaded))) ?? (await this.#readAnew());
    } catch (error) {
      // The changes that woke this log have still not been read.
      this.#stale = true;
      throw error;
    }
    const { loaded, changes, isFresh } = read;
    const { epoch = '' } = loaded;
    // A log that was empty when it was first looked at has no epoch yet; its first one is not a new beginning.
    const before = this.#delivered;
    const restarted = isFresh && before !== undefined && before.epoch !== '' && before.epoch !== epoch;
    const isUnheard = isFresh && !this.#listeners.isHeard;
    const items = changes.map((change) => applyChange(loaded.state, epoch, change));
    this.#loaded = loaded;
    if (restarted) this.#listeners.tell({ type: 'resync', epoch });
    if (restarted || isUnheard || before === undefined) this.#delivered = { epoch, seq: loaded.state.seq };
    else for (const item of items) this.#deliver(item);
    // After a release all changes are read again, and the known ones are no news.
    if (restarted || (before !== undefined && loaded.state.seq > before.seq)) this.#options.heads?.changed();
    return loaded;
  }

  /** Returns the changes that others have written since, or `undefined` if the log is another one now. */
  async #readTail(known: Loaded<S, Editor>): Promise<LoadedChanges<S, Op, Editor> | undefined> {
    const { seq } = known.state;
    const { epoch, changes: read } = await this.past.between(seq);
    if ((epoch === '' ? undefined : epoch) !== known.epoch) return undefined;
    const changes = read.filter((change) => change.seq > seq);
    // Another writer has written another head with them.
    if (changes.length > 0) known.head = undefined;
    return { loaded: known, changes, isFresh: false };
  }

  async #readAnew(): Promise<LoadedChanges<S, Op, Editor>> {
    const { name, store, snapshots } = this.#options;
    // Subscribers hear every change, so a snapshot may not begin behind the last change that they heard.
    const told = this.#listeners.isHeard ? this.#delivered : undefined;
    const { epoch, state, records, changes } = await this.past.upTo(told?.seq ?? Infinity);
    const isKept = snapshots !== undefined && Number.isFinite(snapshots.every);
    const writer = isKept ? new SnapshotWriter(store, name, snapshots, state.seq) : undefined;
    writer?.noteRead(records);
    const loaded = { state, epoch: epoch === '' ? undefined : epoch, editor: undefined, writer, head: undefined };
    return { loaded, changes, isFresh: true };
  }

  async #makeSnapshot({ state, writer, epoch }: Loaded<S, Editor>): Promise<void> {
    if (writer === undefined || epoch === undefined) return;
    const before = writer.base;
    await writer.write(state, epoch);
    // Changes that a snapshot covers are hardly ever read again, and may take less room.
    if (writer.base > before && this.#loose >= fewestFolded) this.compact(before).catch(() => {});
  }

  #deliver(item: ChangeItem<Event>): void {
    const { epoch, seq } = item;
    if (this.#delivered?.epoch === epoch && this.#delivered.seq >= seq) return;
    this.#delivered = { epoch, seq };
    this.#listeners.tell(item);
  }
}

/** Fewer records of one change are not worth reading again for being folded. */
const fewestFolded = 32;

/** The wait before reading again what could not be read, in milliseconds. */
const retryDelay = 1_000;

/** A writer that was overtaken is not alone. To look costs the tail; to be overtaken again, a snapshot and all that is behind it. */
const looksAfterConflict = 64;
