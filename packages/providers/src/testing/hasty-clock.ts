import type { Clock } from '@loom/kernel';

/** Waits up to a minute are over at once, as if for a further attempt; longer ones only when they are told to be. */
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

  /** The long waits are over. */
  expire(): void {
    const due = [...this.#patient];
    this.#patient.clear();
    for (const callback of due) callback();
  }

  /** How many long waits there are. */
  get waiting(): number {
    return this.#patient.size;
  }
}
