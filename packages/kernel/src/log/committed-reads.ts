import type { Change } from '../change.ts';
import type { Clock } from '../ports.ts';
import { runPrepared, Unprepared } from './unprepared.ts';

/** A state with the epoch of the log that it was reduced from. */
export interface Committed<S> {
  readonly state: S;
  readonly epoch: string;
}

/** A log has no epoch before its first change. */
export function committedOf<S>({ state, epoch = '' }: { state: S; epoch: string | undefined }): Committed<S> {
  return { state, epoch };
}

/** Reads something of a committed state. It is run once, or again after its needs have been prepared. */
export type Look<S, T> = (committed: Committed<S>) => T;

/** The parts of a log that its readers need. */
export interface ReadLog<S> {
  readonly clock: Clock;
  /** The writer's state, while it has nothing in it that is not durable and lacks nothing that is known. */
  current(): Committed<S> | undefined;
  /** Returns true if an append is under way or waits. */
  isWriting(): boolean;
  /** Does something in turn with the writer, on its state. */
  exclusively<T>(work: (committed: Committed<S>) => Promise<T>): Promise<T>;
  /** Another state, from what the store holds. */
  loadApart(): Promise<Committed<S>>;
}

/**
 * Lets readers see the last committed state of a log, whatever its writer does. Mostly that is the writer's own state. While
 * an append is under way that one is ahead of the log: readers wait a moment for its end, and then get a separate state,
 * which follows the log for as long as they use it.
 */
export class CommittedReads<S extends { readonly seq: number; apply(change: Change<Op>): unknown }, Op> {
  readonly #log: ReadLog<S>;
  /** Readers that the end of an append will answer, or the end of their patience. */
  readonly #waiting = new Set<(committed: Committed<S> | undefined) => void>();
  #stopWaiting: (() => void) | undefined;
  #apart: ApartState<S, Op> | undefined;

  constructor(log: ReadLog<S>) {
    this.#log = log;
  }

  async read<T>(look: Look<S, T>): Promise<T> {
    const current = this.#log.current();
    if (current !== undefined) {
      const seen = tryLook(look, current);
      if (seen !== undefined) return seen.value;
    }
    // Without a writer its state is free to be brought up to date, or for slow preparations.
    if (!this.#log.isWriting()) {
      return this.#log.exclusively((committed) => runPrepared(() => look(committed), this.#pause));
    }
    const seen = this.#apart === undefined ? await this.#afterAppend(look) : undefined;
    if (seen !== undefined) return seen.value;
    this.#apart ??= new ApartState(() => this.#log.loadApart());
    return this.#apart.read(look, this.#pause);
  }

  /** The writer's state is what the log holds. Its readers are answered before the next append can begin. */
  caughtUp(committed: Committed<S>, changes: readonly Change<Op>[]): void {
    if (this.#apart?.follow(committed.epoch, changes) === false) this.#apart = undefined;
    this.#answerWaiting(committed);
  }

  /** Forgets the state of the readers: other writers have made another one known, or it is not worth its memory. */
  forget(): void {
    this.#apart = undefined;
    this.#answerWaiting(undefined);
  }

  #afterAppend<T>(look: Look<S, T>): Promise<{ value: T } | undefined> {
    this.#stopWaiting ??= this.#log.clock.after(patience, () => this.#answerWaiting(undefined));
    return new Promise((resolve) => {
      // Looks at once, and hands on what that throws.
      const answer = async (committed: Committed<S> | undefined) => committed && tryLook(look, committed);
      this.#waiting.add((committed) => resolve(answer(committed)));
    });
  }

  #answerWaiting(committed: Committed<S> | undefined): void {
    this.#stopWaiting?.();
    this.#stopWaiting = undefined;
    for (const answer of this.#waiting) answer(committed);
    this.#waiting.clear();
  }

  /** Lets other work run. */
  readonly #pause = (): Promise<void> => new Promise((resolve) => void this.#log.clock.after(0, resolve));
}

/** A separate state for readers. When one of them looks, it is brought up to date with the changes committed since. */
class ApartState<S extends { readonly seq: number; apply(change: Change<Op>): unknown }, Op> {
  readonly #load: () => Promise<Committed<S>>;
  #committed: Promise<Committed<S>> | undefined;
  #epoch: string | undefined;
  #later: Change<Op>[] = [];
  #tail: Promise<unknown> = Promise.resolve();

  constructor(load: () => Promise<Committed<S>>) {
    this.#load = load;
  }

  /** Runs looks one after the other: some have to prepare what they need in the state. */
  read<T>(look: Look<S, T>, pause: () => Promise<void>): Promise<T> {
    const seen = this.#tail.then(async () => {
      const committed = await this.#catchUp();
      return runPrepared(() => look(committed), pause);
    });
    this.#tail = seen.catch(() => {});
    return seen;
  }

  /** Takes note of committed changes. Returns false if so many came since the last reader that none is expected. */
  follow(epoch: string, changes: readonly Change<Op>[]): boolean {
    if (this.#epoch !== undefined && this.#epoch !== epoch) return false;
    this.#later.push(...changes);
    return this.#later.length <= mostUnread;
  }

  async #catchUp(): Promise<Committed<S>> {
    const committed = await (this.#committed ?? this.#reload());
    for (const change of this.#later.splice(0)) {
      if (change.seq <= committed.state.seq) continue;
      // Other writers have written in between.
      if (change.seq > committed.state.seq + 1) return this.#reload();
      committed.state.apply(change);
    }
    return committed;
  }

  async #reload(): Promise<Committed<S>> {
    this.#committed = this.#load();
    try {
      const committed = await this.#committed;
      this.#epoch = committed.epoch;
      return committed;
    } catch (error) {
      this.#committed = undefined;
      throw error;
    }
  }
}

/** The wait for the end of an append, in milliseconds, before readers get their own state, which takes a while to make. */
const patience = 50;

/** The most changes kept for a state of the readers that none of them looks at. */
const mostUnread = 256;

/** Returns what the look saw, or `undefined` if something has to be made first. */
function tryLook<S, T>(look: Look<S, T>, committed: Committed<S>): { value: T } | undefined {
  try {
    return { value: look(committed) };
  } catch (error) {
    if (error instanceof Unprepared) return undefined;
    throw error;
  }
}
