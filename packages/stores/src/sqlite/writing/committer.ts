import type { Connection } from '../connection.ts';
import type { WorkAnswer, WriteWork } from './write-work.ts';
import { performWorks } from './write-work.ts';

/** A thread that commits beside the event loop. */
export interface CommitThread {
  readonly isReady: boolean;
  start(): void;
  commit(works: readonly WriteWork[]): Promise<WorkAnswer[]>;
  close(): Promise<void>;
}

/**
 * Decides which thread makes a commit. A separate one keeps the waits for the disk away from the event loop, but takes 50 ms to start: a
 * process that writes little does without, and while the thread starts small commits are made here.
 */
export class Committer {
  readonly #connection: Connection;
  readonly #thread: CommitThread | undefined;
  readonly #smallSize: number;
  #commits = 0;

  /** Commits everything here if there is no thread; with one, commits above the small size are never made here. */
  constructor(connection: Connection, thread?: CommitThread, smallSize = usualSmallSize) {
    this.#connection = connection;
    this.#thread = thread;
    this.#smallSize = smallSize;
  }

  /** True if commits are made on another connection than the given one. */
  get isBeside(): boolean {
    return this.#thread?.isReady === true;
  }

  async commit(works: readonly WriteWork[], size: number): Promise<WorkAnswer[]> {
    this.#commits += 1;
    const thread = this.#thread;
    if (thread === undefined) return performWorks(this.#connection, works);
    if (thread.isReady || size > this.#smallSize) return thread.commit(works);
    if (this.#commits > quietCommits) thread.start();
    return performWorks(this.#connection, works);
  }

  async close(): Promise<void> {
    await this.#thread?.close();
  }
}

// See docs/decisions/0008: a one-shot command makes fewer, a conversation passes it in its first seconds.
const quietCommits = 16;
// Writing so much takes some milliseconds, a tenth of the thread's start time.
const usualSmallSize = 1024 * 1024;
