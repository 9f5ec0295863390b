import type { Random } from '@loom/kernel/testing';

/** An owner of waits: a process, which can be frozen. */
export interface Waiter {
  readonly isFrozen: boolean;
}

/**
 * Decides which process continues, one at a time, and sets the time. Nothing in a simulation waits for anything real: I/O and sleeps wait here
 * instead, so that the seed alone decides the order of everything.
 */
export class Scheduler {
  /** Milliseconds since 1970, by the clock that all processes share. */
  now = Date.UTC(2030, 0, 1);
  readonly #random: Random;
  #waiting: { waiter: Waiter; resume: () => void }[] = [];
  #timers: Timer[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  /** Resolves when the seed picks this waiter. */
  pause(waiter: Waiter): Promise<void> {
    return new Promise((resume) => this.#waiting.push({ waiter, resume }));
  }

  /** Calls back once the time has come and the waiter is not frozen. Returns the function that cancels it. */
  after(waiter: Waiter, milliseconds: number, ring: () => void): () => void {
    const timer = { waiter, due: this.now + milliseconds, ring };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  /** Lets one waiter continue. Returns false if none can. */
  resumeOne(): boolean {
    const chosen = this.#random.pick(this.#waiting.filter(({ waiter }) => !waiter.isFrozen));
    if (chosen === undefined) return false;
    this.#waiting = this.#waiting.filter((other) => other !== chosen);
    chosen.resume();
    return true;
  }

  /** Lets time pass; timers that are due ring, except for frozen waiters. */
  pass(milliseconds: number): void {
    const then = this.now + milliseconds;
    while (this.ringOne(then));
    this.now = Math.max(this.now, then);
  }

  /** Moves time to the next timer of a process that is not frozen, and rings it. Returns false if none is due before the limit. */
  ringOne(limit = Number.POSITIVE_INFINITY): boolean {
    let next: Timer | undefined;
    for (const timer of this.#timers) {
      if (!timer.waiter.isFrozen && (next === undefined || timer.due < next.due)) next = timer;
    }
    if (next === undefined || next.due > limit) return false;
    this.#timers = this.#timers.filter((other) => other !== next);
    this.now = Math.max(this.now, next.due);
    next.ring();
    return true;
  }

  /** Forgets a dead waiter: its waits never end. */
  drop(waiter: Waiter): void {
    this.#waiting = this.#waiting.filter((other) => other.waiter !== waiter);
    this.#timers = this.#timers.filter((other) => other.waiter !== waiter);
  }

  /**
   * Waits until nothing moves without this scheduler. All code under test advances by promises alone, and the event loop reaches its next phase only
   * when every promise that can be settled is settled: one turn of it is enough.
   */
  settle(): Promise<void> {
    return new Promise((resolve) => setImmediate(resolve));
  }
}

interface Timer {
  waiter: Waiter;
  due: number;
  ring: () => void;
}
