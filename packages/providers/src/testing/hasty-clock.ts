import type { Clock } from '@loom/kernel';

/** Ends waits up to a minute at once, as before a further attempt; longer ones only on demand. */
export class HastyClock implements Clock {
  readonly #patient = new Set<() => void>();

  now(): number {
    return 0;
  }

  after(milliseconds: number, callback: () => void): () => void {
    if (milliseconds <= 60_000) {
      const soon = setImmediate(callback);
      return () => clearImmediate(soon);
    }
    this.#patient.add(callback);
    return () => void this.#patient.delete(callback);
  }

  /** Ends the long waits. */
  expire(): void {
    const due = [...this.#patient];
    this.#patient.clear();
    for (const callback of due) callback();
  }

  /** The number of long waits. */
  get waiting(): number {
    return this.#patient.size;
  }
}
