/** Who wants to be woken by an append to which log. */
export class Listeners {
  readonly #wakes = new Map<string, Set<() => void>>();

  get size(): number {
    return this.#wakes.size;
  }

  /** The same function may listen twice: each call has its own end. */
  add(log: string, wake: () => void): () => void {
    const own = (): void => wake();
    const wakes = this.#wakes.get(log) ?? new Set();
    this.#wakes.set(log, wakes.add(own));
    return () => {
      if (wakes.delete(own) && wakes.size === 0) this.#wakes.delete(log);
    };
  }

  wake(log: string): void {
    for (const wake of this.#wakes.get(log) ?? []) {
      // On its own, so that a listener that throws cannot make an append that has happened look failed.
      queueMicrotask(() => {
        if (this.#wakes.get(log)?.has(wake) === true) wake();
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
