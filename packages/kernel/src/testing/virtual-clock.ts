import type { Clock } from '../ports.ts';

/** A clock that stands still until it is told to go on. */
export class VirtualClock implements Clock {
  #now = Date.UTC(2026, 0, 1);
  #timers: { time: number; callback: () => void }[] = [];

  now(): number {
    return this.#now;
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { time: this.#now + milliseconds, callback };
    this.#timers.push(timer);
    return () => void (this.#timers = this.#timers.filter((other) => other !== timer));
  }

  /** Lets time pass, with everything that is due in it. */
  advance(milliseconds: number): void {
    const end = this.#now + milliseconds;
    for (;;) {
      const next = this.#timers.filter(({ time }) => time <= end).sort((a, b) => a.time - b.time)[0];
      if (next === undefined) break;
      this.#timers = this.#timers.filter((timer) => timer !== next);
      this.#now = Math.max(this.#now, next.time);
      next.callback();
    }
    this.#now = end;
  }
}
