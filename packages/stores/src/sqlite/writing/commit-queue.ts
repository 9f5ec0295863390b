import { setImmediate } from 'node:timers/promises';
import { restoreFailure } from './failure-message.ts';
import type { WorkAnswer, WorkValue, WriteWork } from './write-work.ts';

/** Commits works together. Rejects if none of them was done. `size` is about how many bytes they write. */
export type Commit = (works: readonly WriteWork[], size: number) => Promise<WorkAnswer[]>;

/**
 * Group commit: works submitted in one tick of the event loop, and while the commit before is under way, share one transaction and so one
 * wait for the disk.
 */
export class CommitQueue {
  readonly #commit: Commit;
  readonly #waiting: Submission[] = [];
  #draining = false;

  constructor(commit: Commit) {
    this.#commit = commit;
  }

  /** Resolves once the work is durable. `size` is the approximate number of bytes it writes. */
  submit(work: WriteWork, size = 0): Promise<WorkValue> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ work, size, resolve, reject });
      void this.#drain();
    });
  }

  async #drain(): Promise<void> {
    if (this.#draining) return;
    this.#draining = true;
    for (;;) {
      // A writer that was just answered has its next append in the queue before this comes back.
      await setImmediate();
      if (this.#waiting.length === 0) break;
      await this.#commitBatch();
    }
    this.#draining = false;
  }

  async #commitBatch(): Promise<void> {
    const { batch, size } = this.#takeBatch();
    try {
      const answers = await this.#commit(
        batch.map(({ work }) => work),
        size,
      );
      for (const [index, { resolve, reject }] of batch.entries()) {
        const answer = answers[index];
        if (typeof answer === 'object' && 'failure' in answer) reject(restoreFailure(answer.failure));
        else resolve(answer);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  #takeBatch(): { batch: Submission[]; size: number } {
    let [size, count] = [0, 0];
    for (const submission of this.#waiting) {
      if (count > 0 && size + submission.size > batchSize) break;
      size += submission.size;
      count += 1;
    }
    return { batch: this.#waiting.splice(0, count), size };
  }
}

interface Submission {
  work: WriteWork;
  size: number;
  resolve: (value: WorkValue) => void;
  reject: (error: unknown) => void;
}

// Bounds how long one transaction keeps others waiting: a burst of large appends takes several.
const batchSize = 4 * 1024 * 1024;
