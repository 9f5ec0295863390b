/** The listeners to wake by an append to each log. */
export class Listeners {
  readonly #wakes = new Map<string, Set<(seq?: number) => void>>();

  get size(): number {
    return this.#wakes.size;
  }

  /** The same function may listen twice: each call has its own end. */
  add(log: string, wake: (seq?: number) => void): () => void {
    const own = (seq?: number): void => wake(seq);
    const wakes = this.#wakes.get(log) ?? new Set();
    this.#wakes.set(log, wakes.add(own));
    return () => {
      if (wakes.delete(own) && wakes.size === 0) this.#wakes.delete(log);
    };
  }

  /** A log was appended to, up to a seq if that is known. */
  wake(log: string, seq?: number): void {
    for (const wake of this.#wakes.get(log) ?? []) {
      // On its own, so that a listener that throws cannot make an append that has happened look failed.
      queueMicrotask(() => {
        if (this.#wakes.get(log)?.has(wake) === true) wake(seq);
      });
    }
  }

  wakeAll(): void {
    for (const log of this.#wakes.keys()) this.wake(log);
  }

  clear(): void {
    this.#wakes.clear();
  }
}
