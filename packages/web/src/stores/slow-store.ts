import { Store } from './store.ts';

/** The clock of a slow store; tests replace the one of the page. */
export interface SlowClock {
  now: () => number;
  /** Calls back later; returns a function that prevents it. */
  after: (milliseconds: number, call: () => void) => () => void;
}

const pageClock: SlowClock = {
  now: () => performance.now(),
  after: (milliseconds, call) => {
    const timer = setTimeout(call, milliseconds);
    return () => clearTimeout(timer);
  },
};

/**
 * A value that notifies at most every so often, for parts that take long to draw and may be a moment behind. After a quiet time it notifies
 * at once; changes soon after that are delivered together.
 */
export class SlowStore<T> extends Store<T> {
  readonly #rest: number;
  readonly #clock: SlowClock;
  #next: { readonly value: T } | undefined;
  #told = -Infinity;
  #cancel: (() => void) | undefined;

  /** `rest` in milliseconds. */
  constructor(value: T, rest: number, clock = pageClock) {
    super(value);
    this.#rest = rest;
    this.#clock = clock;
  }

  /** Tells a value now, or soon. */
  offer(value: T): void {
    this.#next = { value };
    const wait = this.#told + this.#rest - this.#clock.now();
    if (wait <= 0) this.settle();
    else this.#cancel ??= this.#clock.after(wait, () => this.settle());
  }

  /** Delivers the pending value. */
  settle(): void {
    this.stop();
    const next = this.#next;
    this.#next = undefined;
    if (next === undefined) return;
    this.#told = this.#clock.now();
    this.set(next.value);
  }

  /** Drops the pending notification. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
