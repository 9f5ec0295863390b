import type { Clock } from '@loom/kernel';

/** The time in which a sample forest grows: it began some hours ago and passes at once. */
export class SampleTime {
  #now: number;

  constructor(end: number) {
    this.#now = end - 3 * 3_600_000;
  }

  pass(minutes: number): void {
    this.#now += minutes * 60_000;
  }

  /** The clock of the demo: it waits for nothing, but the time that it would have taken passes. */
  get pace(): Clock {
    return {
      now: () => this.#now,
      after: (milliseconds, callback) => {
        this.#now += milliseconds;
        const immediate = setImmediate(callback);
        return () => clearImmediate(immediate);
      },
    };
  }

  /** The clock that dates changes. A caller that waits on it waits for real: leases are renewed while the world goes on. */
  get clock(): Clock {
    return {
      now: () => Math.round(this.#now),
      after: (milliseconds, callback) => {
        const timer = setTimeout(callback, milliseconds);
        return () => clearTimeout(timer);
      },
    };
  }
}
