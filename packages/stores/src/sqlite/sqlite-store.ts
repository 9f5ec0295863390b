import { randomUUID } from 'node:crypto';
import type {
  AppendRequest,
  AppendResult,
  BlobSweep,
  BlobWriter,
  ByteRange,
  FoldRequest,
  HeadsRequest,
  ListedLease,
  ListedLog,
  LogContents,
  LogHead,
  LogRewrite,
  Projection,
  ProjectionRequest,
  Spool,
  Store,
  SweptBlobs,
} from '@loom/kernel/store';
import { checkLimit } from '@loom/kernel/store';
import {
  checkAppend,
  checkFold,
  checkLeaseTime,
  checkLogName,
  checkRewrite,
  checkSeq,
  highestSeq,
  lastSeqOf,
} from '../append-verdict.ts';
import type { BlobFiles } from '../blobs/blob-files.ts';
import { closeWriters } from '../blobs/writer-calls.ts';
import type { OpenWriters } from '../blobs/writer-calls.ts';
import { closedStore } from '../closed-store.ts';
import { checkOnce } from '../kept-once.ts';
import { listLeases } from '../lease.ts';
import { Listeners } from '../listeners.ts';
import { checkProjection, checkProjectionName } from '../projection-verdict.ts';
import type { Acknowledged, AcknowledgedNote } from './upkeep/acknowledged-note.ts';
import { CommitQueue } from './writing/commit-queue.ts';
import type { Committer } from './writing/committer.ts';
import type { Connection } from './connection.ts';
import { readLog, readProjection } from './piecewise-reading.ts';
import type { WorkAnswer, WorkValue, WriteWork } from './writing/write-work.ts';

/** The collaborators of a store. */
export interface SqliteStoreParts {
  /** For reading. */
  connection: Connection;
  committer: Committer;
  note: AcknowledgedNote;
  blobs: BlobFiles;
  /** The listeners of all handles of this process on the same directory. */
  handles: Set<Listeners>;
  now: () => number;
}

/** One handle on a database. */
export class SqliteStore implements Store {
  readonly capabilities = { durable: true, shared: true, announcesInProcess: true };
  readonly #connection: Connection;
  readonly #committer: Committer;
  readonly #note: AcknowledgedNote;
  readonly #blobs: BlobFiles;
  readonly #handles: Set<Listeners>;
  readonly #now: () => number;
  readonly #queue: CommitQueue;
  readonly #listeners = new Listeners();
  readonly #writers: OpenWriters = new Set();
  #hasAppended = false;
  #underWay = 0;
  #onIdle: (() => void) | undefined;
  #watch: NodeJS.Timeout | undefined;
  #lastSeen: string | undefined;
  #lastMark: WorkValue;
  #closing: Promise<void> | undefined;

  constructor({ connection, committer, note, blobs, handles, now }: SqliteStoreParts) {
    this.#handles = handles;
    handles.add(this.#listeners);
    this.#connection = connection;
    this.#committer = committer;
    this.#note = note;
    this.#blobs = blobs;
    this.#now = now;
    this.#queue = new CommitQueue(async (works, size) => {
      const answers = await committer.commit(works, size);
      note.add(acknowledgedBy(works, answers));
      return answers;
    });
  }

  logs(): Promise<string[]> {
    return this.#run(async () => {
      const names = await this.#connection.transaction('BEGIN', (tables) => tables.logNames());
      return names.sort();
    });
  }

  heads(request: HeadsRequest): Promise<ListedLog[]> {
    return this.#run(async () => {
      checkLimit(request.limit);
      return this.#connection.transaction('BEGIN', (tables) => tables.heads(request));
    });
  }

  read(log: string, afterSeq: number, throughSeq = highestSeq): Promise<LogContents | undefined> {
    return this.#run(() => {
      checkLogName(log);
      checkSeq('afterSeq', afterSeq);
      checkSeq('throughSeq', throughSeq);
      return readLog(this.#connection, log, afterSeq, throughSeq);
    });
  }

  // The method that is called thousands of times a second: written out, because each promise in between costs as much as the rest.
  async append(log: string, request: AppendRequest): Promise<AppendResult> {
    this.#enter();
    try {
      checkAppend(log, request);
      const { epoch, expectedSeq, head, format } = request;
      // The caller may change its array while the request waits for its transaction.
      const records = request.records.map((record) => ({ ...record }));
      const size = records.reduce(
        (sum, { text }) => sum + text.length,
        typeof head === 'object' ? head.text.length : 0,
      );
      const newEpoch = epoch === undefined ? randomUUID() : '';
      const own: AppendRequest = { epoch, expectedSeq, records };
      if (head !== undefined) own.head = copyHead(head);
      if (format !== undefined) own.format = format;
      this.#blobs.named.note(records);
      const work = { type: 'append', log, request: own, newEpoch } as const;
      const value = await this.#queue.submit(work, size);
      if (typeof value === 'object') return { ok: false, conflict: value.conflict };
      if (!flagOf(value)) throw wrongAnswer();
      this.#hasAppended = true;
      this.#listeners.wake(log, records.at(-1)?.seq);
      return { ok: true, epoch: epoch ?? newEpoch };
    } finally {
      this.#leave();
    }
  }

  fold(log: string, request: FoldRequest): Promise<boolean> {
    return this.#run(async () => {
      checkFold(log, request.first, request.record);
      const own = { ...request, record: { ...request.record } };
      return flagOf(await this.#queue.submit({ type: 'fold', log, request: own }, own.record.text.length));
    });
  }

  rewrite(rewrites: readonly LogRewrite[]): Promise<boolean> {
    return this.#run(async () => {
      for (const rewrite of rewrites) checkRewrite(rewrite);
      const own = rewrites.map((rewrite) => ({
        ...rewrite,
        records: rewrite.records.map((record) => ({ ...record })),
      }));
      try {
        // Of a size that no commit on the event loop has: it copies the whole database.
        return flagOf(await this.#queue.submit({ type: 'rewrite', rewrites: own }, Number.MAX_SAFE_INTEGER));
      } finally {
        // The logs may have changed even if their old contents could not be erased from the files.
        for (const listeners of this.#handles) for (const { log } of rewrites) listeners.wake(log);
      }
    });
  }

  readProjection(log: string, name: string, prefix = ''): Promise<Projection | undefined> {
    return this.#run(async () => {
      checkProjectionName(log, name);
      return readProjection(this.#connection, log, name, prefix);
    });
  }

  writeProjection(log: string, name: string, request: ProjectionRequest): Promise<boolean> {
    return this.#run(async () => {
      checkProjection(log, name, request);
      const own = { ...request, put: request.put.map(({ key, text }) => ({ key, text })), drop: [...request.drop] };
      const size = own.put.reduce((sum, { key, text }) => sum + key.length + text.length, 0);
      return flagOf(await this.#queue.submit({ type: 'projection', log, name, request: own }, size));
    });
  }

  listen(log: string, wake: (seq?: number) => void): () => void {
    if (this.#closing !== undefined) throw closedStore();
    checkLogName(log);
    return this.#watchUntil(this.#listeners.add(log, wake));
  }

  listenAll(wake: (log?: string) => void): () => void {
    if (this.#closing !== undefined) throw closedStore();
    return this.#watchUntil(this.#listeners.addForAny(wake));
  }

  announce(channel: string, message: string): void {
    if (this.#closing !== undefined) throw closedStore();
    for (const listeners of this.#handles) listeners.tell(channel, message);
  }

  hear(channel: string, listener: (message: string) => void): () => void {
    if (this.#closing !== undefined) throw closedStore();
    return this.#listeners.addHearer(channel, listener);
  }

  lease(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return this.#run(async () => {
      checkLeaseTime(milliseconds);
      return flagOf(await this.#queue.submit({ type: 'lease', key, holder, now: this.#now(), milliseconds }));
    });
  }

  release(key: string, holder: string): Promise<void> {
    return this.#run(async () => {
      await this.#queue.submit({ type: 'release', key, holder });
    });
  }

  leases(prefix: string): Promise<ListedLease[]> {
    return this.#run(async () => {
      const leases = await this.#connection.transaction('BEGIN', (tables) => tables.leases(prefix));
      return listLeases(leases, prefix, this.#now());
    });
  }

  putOnce(key: string, value: string, milliseconds: number): Promise<void> {
    return this.#run(async () => {
      checkOnce(key, value, milliseconds);
      await this.#queue.submit({ type: 'put-once', key, value, now: this.#now(), milliseconds }, value.length);
    });
  }

  takeOnce(key: string): Promise<string | undefined> {
    return this.#run(async () => {
      const value = await this.#queue.submit({ type: 'take-once', key, now: this.#now() });
      if (value === undefined || typeof value === 'string') return value;
      throw wrongAnswer();
    });
  }

  nextClientId(above = 1): Promise<number> {
    return this.#run(async () => {
      checkSeq('above', above);
      const id = await this.#queue.submit({ type: 'client-id', above });
      if (typeof id !== 'number') throw wrongAnswer();
      return id;
    });
  }

  putBlob(bytes: Uint8Array): Promise<string> {
    return this.#run(() => this.#blobs.put(bytes));
  }

  getBlob(id: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    return this.#run(() => this.#blobs.get(id, range));
  }

  blobSize(id: string): Promise<number | undefined> {
    return this.#run(() => this.#blobs.size(id));
  }

  createBlob(): Promise<BlobWriter> {
    return this.#run(() => this.#blobs.create(this.#writers));
  }

  sweepBlobs(request: BlobSweep): Promise<SweptBlobs> {
    return this.#run(() => this.#blobs.sweep(request));
  }

  openSpool(name: string): Promise<Spool> {
    return this.#run(() => this.#blobs.openSpool(name, this.#writers));
  }

  spools(): Promise<string[]> {
    return this.#run(() => this.#blobs.spoolNames());
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#listeners.clear();
    this.#handles.delete(this.#listeners);
    this.#stopWatch();
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await closeWriters(this.#writers);
    // The last transaction sorts the arrivals that a rush has left; if it cannot, the next process does.
    if (this.#hasAppended) await this.#queue.submit({ type: 'commit-mark' }).catch(() => {});
    await this.#committer.close();
    this.#note.close();
    this.#connection.close();
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#enter();
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(): void {
    if (this.#closing !== undefined) throw closedStore();
    this.#underWay += 1;
  }

  #leave(): void {
    this.#underWay -= 1;
    if (this.#underWay === 0) this.#onIdle?.();
  }

  #watchUntil(stop: () => void): () => void {
    this.#startWatch();
    return () => {
      stop();
      if (this.#listeners.size === 0) this.#stopWatch();
    };
  }

  // Appends by other handles, in this process or another, show in the data version of this connection.
  #startWatch(): void {
    if (this.#watch !== undefined) return;
    this.#lastSeen = this.#connection.dataVersion();
    this.#watch = setInterval(() => this.#look(), watchMilliseconds);
    this.#watch.unref();
  }

  #look(): void {
    const seen = this.#connection.dataVersion();
    if (seen === this.#lastSeen) return;
    this.#lastSeen = seen;
    if (!this.#committer.isBeside) return this.#listeners.wakeAll();
    // From here the commits of the own thread look like those of others. Anything new that this thread finds is from others.
    const wake = (mark?: WorkValue): void => {
      if (mark !== undefined && mark === this.#lastMark) return;
      this.#lastMark = mark;
      this.#listeners.wakeAll();
    };
    void this.#run(() => this.#queue.submit({ type: 'commit-mark' })).then(wake, () => wake());
  }

  #stopWatch(): void {
    clearInterval(this.#watch);
    this.#watch = undefined;
  }
}

function acknowledgedBy(works: readonly WriteWork[], answers: readonly WorkAnswer[]): Acknowledged[] {
  return works.flatMap((work, index) => {
    if (work.type !== 'append' || answers[index] !== true) return [];
    const { log, request, newEpoch } = work;
    return [{ log, epoch: request.epoch ?? newEpoch, seq: lastSeqOf(request.records, request.expectedSeq) }];
  });
}

function copyHead(head: LogHead | 'same'): LogHead | 'same' {
  return head === 'same' ? head : { ...head };
}

function flagOf(value: WorkValue): boolean {
  if (typeof value === 'boolean') return value;
  throw wrongAnswer();
}

function wrongAnswer(): Error {
  return new Error('a write was answered as if it were another one');
}

// One look takes some 10 µs, so this costs less than a thousandth of a processor.
const watchMilliseconds = 25;
