import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { StoreError } from '@loom/kernel/store';
import { databaseFailure } from './failures.ts';
import { SheddingMark } from './tables/shedding-mark.ts';
import { Tables } from './tables/tables.ts';

/**
 * A database that is open when it is needed. After any failure the connection is given up and the next transaction makes a new one: the
 * file system's state of an open file cannot be trusted after a failed write.
 */
export class Connection {
  readonly #connect: () => DatabaseSync;
  readonly #patience: number;
  #current: { database: DatabaseSync; tables: Tables; number: number } | undefined;
  #connections = 0;

  /** Waits up to `patience` milliseconds while others keep the database; the event loop is free meanwhile. */
  constructor(connect: () => DatabaseSync, patience = 10_000) {
    this.#connect = connect;
    this.#patience = patience;
  }

  async open(): Promise<void> {
    await this.transaction('BEGIN', () => undefined);
  }

  /**
   * Does all of the work or, if this rejects, nothing that a reader has seen: a failed commit may or may not come back after a crash. The
   * work must not keep anything it did elsewhere, because it runs again when another process has the database.
   */
  transaction<T>(begin: 'BEGIN' | 'BEGIN IMMEDIATE', work: (tables: Tables) => T): Promise<T> {
    return this.#patiently(() => this.#attempt(begin, work));
  }

  /**
   * Erases from every file what was replaced or removed: pages that were freed, however long ago, still hold their old contents, and so
   * does the write-ahead log. Rejects if another process keeps reading the old state.
   */
  async shed(): Promise<void> {
    await this.#patiently(() => this.#outside((database) => database.exec('VACUUM')));
    await this.#patiently(() => this.#outside(emptyWriteAheadLog));
    await this.#patiently(() => this.#outside((database) => new SheddingMark(database).clear()));
  }

  /** Erases what a process that was killed has left to be erased. Rejects as `shed` does; the mark stays then. */
  async shedRemains(): Promise<void> {
    let isOwed = false;
    await this.#patiently(() => this.#outside((database) => void (isOwed = new SheddingMark(database).isSet)));
    if (isOwed) await this.shed();
  }

  async #patiently<T>(attempt: () => T): Promise<T> {
    const deadline = performance.now() + this.#patience;
    for (;;) {
      try {
        return attempt();
      } catch (error) {
        if (!isLocked(error) || performance.now() > deadline) throw error;
      }
      // Not evenly, so that two processes do not keep meeting.
      await setTimeout(1 + Math.random() * 4);
    }
  }

  /**
   * Reads in pieces, between which the event loop runs: a separate connection keeps showing the moment at which the read began, while the
   * common one goes on to see new changes.
   */
  async readSlowly<T>(work: (tables: Tables) => Promise<T>): Promise<T> {
    let database: DatabaseSync | undefined;
    try {
      database = this.#connect();
      database.exec('BEGIN');
      return await work(new Tables(database));
    } catch (error) {
      throw databaseFailure(error);
    } finally {
      if (database?.isOpen === true) database.close();
    }
  }

  /** Changes whenever another connection has committed; `undefined` while the database cannot be reached. */
  dataVersion(): string | undefined {
    try {
      const { tables, number } = this.#established();
      return `${number}:${tables.dataVersion()}`;
    } catch {
      // The next transaction meets the same trouble and reports it.
      this.close();
      return undefined;
    }
  }

  close(): void {
    const { database } = this.#current ?? {};
    this.#current = undefined;
    if (database?.isOpen === true) database.close();
  }

  #attempt<T>(begin: string, work: (tables: Tables) => T): T {
    try {
      const { database, tables } = this.#established();
      database.exec(begin);
      tables.recall();
      const result = work(tables);
      database.exec('COMMIT');
      return result;
    } catch (error) {
      const failure = databaseFailure(error);
      if (isLocked(failure)) this.#rollback();
      else this.close();
      throw failure;
    }
  }

  #outside(work: (database: DatabaseSync) => void): void {
    try {
      const { database, tables } = this.#established();
      tables.forget();
      work(database);
    } catch (error) {
      const failure = databaseFailure(error);
      if (!isLocked(failure)) this.close();
      throw failure;
    }
  }

  /** A caller that had to wait has done nothing yet, and may go on with its connection. */
  #rollback(): void {
    const { database, tables } = this.#current ?? {};
    if (database?.isTransaction === true) database.exec('ROLLBACK');
    tables?.forget();
  }

  #established(): { database: DatabaseSync; tables: Tables; number: number } {
    if (this.#current === undefined) {
      const database = this.#connect();
      this.#connections += 1;
      this.#current = { database, tables: new Tables(database), number: this.#connections };
    }
    return this.#current;
  }
}

/** Moves the write-ahead log into the database, and makes it empty. Fails as long as another process reads an older state. */
export function emptyWriteAheadLog(database: DatabaseSync): void {
  if (database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.['busy'] === 0) return;
  throw new StoreError(
    'store-locked',
    'loom.db and loom.db-wal still hold what was there before, since another process reads it',
    'End the other process that reads this data directory, then run the command again.',
  );
}

function isLocked(error: unknown): boolean {
  return error instanceof StoreError && error.code === 'store-locked';
}
