/** Signals for one listener, in their order. A program that prints faster than they are taken waits. */
export class SignalQueue<T> implements AsyncIterable<T> {
  readonly #join: (last: T, next: T) => T | undefined;
  #signals: T[] = [];
  #wake: (() => void) | undefined;
  #makeRoom: (() => void)[] = [];
  #isOver = false;

  /** `join` makes one signal of two that follow each other and that the listener has not taken yet. */
  constructor(join: (last: T, next: T) => T | undefined = () => undefined) {
    this.#join = join;
  }

  push(signal: T): void {
    if (this.#isOver) return;
    const last = this.#signals.at(-1);
    const joined = last === undefined ? undefined : this.#join(last, signal);
    if (joined === undefined) this.#signals.push(signal);
    else this.#signals[this.#signals.length - 1] = joined;
    this.#wake?.();
  }

  /** Ends it: nothing more is taken, and nobody waits for room. Returns the signals that nobody has taken. */
  end(): T[] {
    const rest = this.#signals;
    this.#signals = [];
    this.#isOver = true;
    this.#wake?.();
    this.#free();
    return rest;
  }

  /** Resolves when there is room for more. */
  room(): Promise<void> {
    if (this.#isOver || this.#signals.length < mostWaiting) return Promise.resolve();
    return new Promise((resolve) => void this.#makeRoom.push(resolve));
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void> {
    for (;;) {
      const signal = this.#signals.shift();
      if (signal !== undefined) {
        if (this.#signals.length === 0) this.#free();
        yield signal;
      } else if (this.#isOver) return;
      else await new Promise<void>((resolve) => (this.#wake = resolve));
    }
  }

  #free(): void {
    for (const resolve of this.#makeRoom.splice(0)) resolve();
  }
}

/** The number of signals that may wait. */
const mostWaiting = 1_000;
