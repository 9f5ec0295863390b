import { setImmediate } from 'node:timers/promises';
import { StoreError } from '@loom/kernel';
import type { Connection } from './connection.ts';
import type { Tables } from './tables.ts';

/**
 * Group commit: what is submitted in one tick of the event loop shares one transaction, and so one wait for the disk. Each work
 * has its own verdict; only if the transaction itself fails do all of its works fail.
 */
export class CommitQueue {
  readonly #connection: Connection;
  readonly #waiting: Submission[] = [];
  #draining = false;

  constructor(connection: Connection) {
    this.#connection = connection;
  }

  /**
   * Answers once the work is durable. A work may refuse by throwing a `StoreError` before it has written anything; `size` is about
   * how many bytes it writes.
   */
  submit<T>(size: number, work: (tables: Tables) => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({
        size,
        perform(tables) {
          try {
            const result = work(tables);
            return () => resolve(result);
          } catch (error) {
            if (!(error instanceof StoreError)) throw error;
            return () => reject(error);
          }
        },
        fail: reject,
      });
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    for (;;) {
      // Whoever was just answered has its next append in the queue before this comes back.
      await setImmediate();
      if (this.#waiting.length === 0) break;
      await this.#commit(this.#takeBatch());
    }
    this.#draining = false;
  }

  async #commit(batch: readonly Submission[]): Promise<void> {
    try {
      const answers = await this.#connection.transaction('BEGIN IMMEDIATE', (tables) =>
        batch.map((submission) => submission.perform(tables)),
      );
      for (const answer of answers) answer();
    } catch (error) {
      for (const submission of batch) submission.fail(error);
    }
  }

  #takeBatch(): Submission[] {
    let size = 0;
    const end = this.#waiting.findIndex((submission) => {
      size += submission.size;
      return size > batchSize;
    });
    return this.#waiting.splice(0, end === -1 ? this.#waiting.length : Math.max(1, end));
  }
}

interface Submission {
  readonly size: number;
  /** Runs inside the transaction; what it returns is called after the commit. */
  perform(tables: Tables): () => void;
  fail(error: unknown): void;
}

// Bounds how long one transaction keeps the event loop: a burst of large appends takes several.
const batchSize = 4 * 1024 * 1024;
