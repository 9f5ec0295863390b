import type { Clock } from '@loom/kernel';

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now: number;
  #timers: { time: number; callback: () => void }[] = [];

  constructor(now = Date.UTC(2026, 0, 1)) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { time: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  /** Lets time pass, and lets everything that is due in it come to rest. */
  async advance(milliseconds: number): Promise<void> {
    const end = this.#now + milliseconds;
    await rest();
    for (;;) {
      const next = this.#timers.filter(({ time }) => time <= end).sort((a, b) => a.time - b.time)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.time);
      next.callback();
      await rest();
    }
    this.#now = end;
  }

  /** No timer goes off any more. */
  stop(): void {
    this.#timers = [];
    this.after = () => () => undefined;
  }
}

/** Until nothing goes on any more that waits for promises alone. */
export function rest(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
