import type { Clock } from '../ports.ts';

/** A clock that stands still until it is told to go on. */
export class VirtualClock implements Clock {
  #now: number;
  #timers: { time: number; callback: () => void }[] = [];
  #isStopped = false;

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { time: this.#now + milliseconds, callback };
    if (!this.#isStopped) this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  /** Lets time pass, with everything that is due in it. */
  advance(milliseconds: number): void {
    for (const callback of this.#due(milliseconds)) callback();
  }

  /** Lets time pass, and lets everything that is due in it come to rest. */
  async advanceAndRest(milliseconds: number): Promise<void> {
    await rest();
    for (const callback of this.#due(milliseconds)) {
      callback();
      await rest();
    }
  }

  /** Stops the clock: no timer goes off from now on. */
  stop(): void {
    this.#timers = [];
    this.#isStopped = true;
  }

  *#due(milliseconds: number): Generator<() => void, void, void> {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers.filter(({ time }) => time <= end).sort((a, b) => a.time - b.time)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.time);
      yield next.callback;
    }
    this.#now = end;
  }
}

/** Resolves when everything that waits for promises alone is done. */
export function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
