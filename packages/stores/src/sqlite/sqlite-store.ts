import { randomUUID } from 'node:crypto';
import type { AppendRequest, AppendResult, FoldRequest, LogContents, Store } from '@loom/kernel';
import { checkAppend, checkFold, checkLeaseTime, checkLogName, checkSeq } from '../append-verdict.ts';
import type { BlobFiles } from '../blob-files.ts';
import { closedStore } from '../closed-store.ts';
import { Listeners } from '../listeners.ts';
import { CommitQueue } from './commit-queue.ts';
import type { Connection } from './connection.ts';
import { packText } from './packed-text.ts';

/** What a store is put together from. */
export interface SqliteStoreParts {
  connection: Connection;
  blobs: BlobFiles;
  now: () => number;
}

/** One handle on a database. */
export class SqliteStore implements Store {
  readonly capabilities = { durable: true, shared: true };
  readonly #connection: Connection;
  readonly #blobs: BlobFiles;
  readonly #now: () => number;
  readonly #queue: CommitQueue;
  readonly #listeners = new Listeners();
  readonly #underWay = new Set<Promise<unknown>>();
  #watch: NodeJS.Timeout | undefined;
  #lastSeen: string | undefined;
  #closing: Promise<void> | undefined;

  constructor({ connection, blobs, now }: SqliteStoreParts) {
    this.#connection = connection;
    this.#blobs = blobs;
    this.#now = now;
    this.#queue = new CommitQueue(connection);
  }

  logs(): Promise<string[]> {
    return this.#run(async () => {
      const names = await this.#connection.transaction('BEGIN', (tables) => tables.logNames());
      return names.sort();
    });
  }

  read(log: string, afterSeq: number): Promise<LogContents | undefined> {
    return this.#run(() => {
      checkLogName(log);
      checkSeq('afterSeq', afterSeq);
      return this.#connection.transaction('BEGIN', (tables) => tables.read(log, afterSeq));
    });
  }

  append(log: string, request: AppendRequest): Promise<AppendResult> {
    return this.#run(async () => {
      checkAppend(log, request);
      // The caller may change its array while the request waits for its transaction.
      const own = { ...request, records: request.records.map(({ seq, text }) => ({ seq, text })) };
      const size = own.records.reduce((sum, { text }) => sum + text.length, 0);
      const result = await this.#queue.submit(size, (tables) => tables.append(log, own, randomUUID));
      if (result.ok) this.#listeners.wake(log, own.records.at(-1)?.seq);
      return result;
    });
  }

  fold(log: string, request: FoldRequest): Promise<boolean> {
    return this.#run(() => {
      checkFold(log, request.first, request.record);
      const { epoch, first, record } = request;
      const packed = packText(record.text);
      return this.#queue.submit(packed.length, (tables) => tables.fold(log, epoch, first, record.seq, packed));
    });
  }

  listen(log: string, wake: (seq?: number) => void): () => void {
    if (this.#closing !== undefined) throw closedStore();
    checkLogName(log);
    const stop = this.#listeners.add(log, wake);
    this.#startWatch();
    return () => {
      stop();
      if (this.#listeners.size === 0) this.#stopWatch();
    };
  }

  lease(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return this.#run(() => {
      checkLeaseTime(milliseconds);
      return this.#queue.submit(0, (tables) => tables.lease(key, holder, this.#now(), milliseconds));
    });
  }

  release(key: string, holder: string): Promise<void> {
    return this.#run(() => this.#queue.submit(0, (tables) => tables.release(key, holder)));
  }

  nextClientId(): Promise<number> {
    return this.#run(() => this.#queue.submit(0, (tables) => tables.nextClientId()));
  }

  putBlob(bytes: Uint8Array): Promise<string> {
    return this.#run(() => this.#blobs.put(bytes));
  }

  getBlob(id: string): Promise<Uint8Array | undefined> {
    return this.#run(() => this.#blobs.get(id));
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#listeners.clear();
    this.#stopWatch();
    await Promise.allSettled(this.#underWay);
    this.#connection.close();
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#closing !== undefined) throw closedStore();
    const running = work();
    this.#underWay.add(running);
    try {
      return await running;
    } finally {
      this.#underWay.delete(running);
    }
  }

  // Appends by other handles, in this process or another, show in the data version of this connection.
  #startWatch(): void {
    if (this.#watch !== undefined) return;
    this.#lastSeen = this.#connection.dataVersion();
    this.#watch = setInterval(() => {
      const seen = this.#connection.dataVersion();
      if (seen === this.#lastSeen) return;
      this.#lastSeen = seen;
      this.#listeners.wakeAll();
    }, watchMilliseconds);
    this.#watch.unref();
  }

  #stopWatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}

// One look takes some 10 µs, so this costs less than a thousandth of a processor.
const watchMilliseconds = 25;
