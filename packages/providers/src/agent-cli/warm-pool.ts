import type { Clock } from '@loom/kernel';

/** A process that can be used again. */
export interface WarmProcess {
  /** True while it works on something in its background: it is not ended for being idle. */
  readonly isBusy: boolean;
  readonly isOver: boolean;
  stop(): Promise<void>;
}

/** The time after which an unused process is ended, in milliseconds. */
const idleTime = 10 * 60_000;
/** The most unused processes that are kept. */
const mostKept = 4;

interface Kept<P> {
  process: P;
  cancel: () => void;
}

/**
 * Keeps the processes of agents for the next turn, because starting one takes seconds. A process is found by a name that says everything it
 * depends on: conversation, end of the branch, model, folder, mode.
 */
export class WarmPool<P extends WarmProcess> {
  readonly #clock: Clock;
  readonly #kept = new Map<string, Kept<P>>();
  readonly #ending = new Set<Promise<void>>();
  #isClosed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Takes a process out of the pool; `undefined` if there is none of that name, or it has ended. */
  take(name: string): P | undefined {
    const kept = this.#kept.get(name);
    if (kept === undefined) return undefined;
    this.#forget(name, kept);
    return kept.process.isOver ? undefined : kept.process;
  }

  /** Keeps a process. One of the same name, and the one unused for longest beyond four, are ended. */
  keep(name: string, process: P): void {
    if (process.isOver) return;
    if (this.#isClosed) return this.#end(process);
    const same = this.#kept.get(name);
    if (same !== undefined) this.#drop(name, same);
    this.#kept.set(name, { process, cancel: this.#endWhenIdle(name, process) });
    for (const [oldest, kept] of this.#byUse()) {
      if (this.#kept.size <= mostKept) break;
      this.#drop(oldest, kept);
    }
  }

  /** Lets go of a process, wherever it is kept. */
  forget(process: P): void {
    for (const [name, kept] of this.#kept) if (kept.process === process) this.#forget(name, kept);
  }

  /** Ends all of them, and those that are given to it from now on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const [name, kept] of this.#kept) this.#drop(name, kept);
    await Promise.all(this.#ending);
  }

  #endWhenIdle(name: string, process: P): () => void {
    return this.#clock.after(idleTime, () => {
      const kept = this.#kept.get(name);
      if (kept?.process !== process) return;
      if (process.isBusy) kept.cancel = this.#endWhenIdle(name, process);
      else this.#drop(name, kept);
    });
  }

  /** Those that work on nothing first, then by the time they have been unused. */
  #byUse(): [string, Kept<P>][] {
    const all = [...this.#kept];
    return [...all.filter(([, { process }]) => !process.isBusy), ...all.filter(([, { process }]) => process.isBusy)];
  }

  #drop(name: string, kept: Kept<P>): void {
    this.#forget(name, kept);
    this.#end(kept.process);
  }

  #forget(name: string, { cancel }: Kept<P>): void {
    cancel();
    this.#kept.delete(name);
  }

  #end(process: P): void {
    const ending = process.stop().finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }
}
