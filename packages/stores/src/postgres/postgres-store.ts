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
  judgeAppend,
} from '../append-verdict.ts';
import type { LogEnd } from '../append-verdict.ts';
import { closeWriters } from '../blobs/writer-calls.ts';
import type { OpenWriters } from '../blobs/writer-calls.ts';
import { closedStore } from '../closed-store.ts';
import { checkOnce } from '../kept-once.ts';
import type { Listeners } from '../listeners.ts';
import { checkProjection, checkProjectionName } from '../projection-verdict.ts';
import { appendBatch } from './append-batch.ts';
import { AppendQueue } from './append-queue.ts';
import { PostgresBlobs } from './blobs/postgres-blobs.ts';
import { keyOf } from './bounded-key.ts';
import { keepOnce, listLeases, nextClientId, releaseLease, takeLease, takeOnce } from './coordination.ts';
import type { Database } from './database.ts';
import { readDocument, writeDocument } from './documents.ts';
import type { KeptDocument } from './documents.ts';
import { listHeads, listLogs } from './heads.ts';
import { readLog } from './log-reading.ts';
import { rewriteLogs } from './log-rewriting.ts';
import { renewEpochs } from './renewal.ts';
import { readProjection, writeProjection } from './projections.ts';
import { measureSizes } from './sizes.ts';
import { Polling } from './signals/polling.ts';
import type { Signals } from './signals/signals.ts';

/** The collaborators of a store. */
export interface PostgresStoreParts {
  database: Database;
  listeners: Listeners;
  /** Without them nothing that others write is heard of. */
  signals: Signals | undefined;
  /** The formats of logs: of those that ask for none, and the latest that is known. */
  formats: { oldest: number; newest: number };
}

/** One handle on the logs of a schema, with connections of its own. */
export class PostgresStore implements Store {
  readonly capabilities = { durable: true, shared: true };
  readonly #database: Database;
  readonly #listeners: Listeners;
  readonly #signals: Signals | undefined;
  readonly #formats: PostgresStoreParts['formats'];
  readonly #polling: Polling | undefined;
  readonly #queue: AppendQueue;
  readonly #blobs: PostgresBlobs;
  readonly #writers: OpenWriters = new Set();
  #underWay = 0;
  #onIdle: (() => void) | undefined;
  #closing: Promise<void> | undefined;

  constructor({ database, listeners, signals, formats }: PostgresStoreParts) {
    this.#database = database;
    this.#listeners = listeners;
    this.#signals = signals;
    this.#formats = formats;
    this.#blobs = new PostgresBlobs(database);
    this.#queue = new AppendQueue((appends) => appendBatch(database, appends, formats), lanes);
    this.#polling =
      signals &&
      new Polling({
        database,
        listened: () => (listeners.size === 0 ? undefined : listeners.logs),
        isListening: () => signals.isListening,
        woken: (log) => listeners.wake(log),
        wokenAny: () => listeners.wakeAny(),
      });
  }

  logs(): Promise<string[]> {
    return this.#run(() => listLogs(this.#database));
  }

  heads(request: HeadsRequest): Promise<ListedLog[]> {
    return this.#run(async () => {
      checkLimit(request.limit);
      return listHeads(this.#database, request);
    });
  }

  read(log: string, afterSeq: number, throughSeq = highestSeq): Promise<LogContents | undefined> {
    return this.#run(async () => {
      checkLogName(log);
      checkSeq('afterSeq', afterSeq);
      checkSeq('throughSeq', throughSeq);
      return this.#read(log, afterSeq, throughSeq);
    });
  }

  append(log: string, request: AppendRequest): Promise<AppendResult> {
    return this.#run(async () => {
      checkAppend(log, request);
      const { head } = request;
      // The caller may change its arrays while the request waits for its statement.
      const records = request.records.map((record) => ({ ...record }));
      const own = { ...request, records, ...(typeof head === 'object' ? { head: { ...head } } : {}) };
      this.#blobs.named.note(records);
      const size = records.reduce((sum, { text }) => sum + text.length, 0);
      const fresh = randomUUID();
      const { isDone, end } = await this.#queue.submit({ log, request: own, fresh }, size);
      if (!isDone) return { ok: false, conflict: await this.#conflict(log, end, own) };
      const seq = records.at(-1)?.seq;
      this.#listeners.wake(log, seq);
      this.#signals?.changed(log, seq);
      return { ok: true, epoch: own.epoch ?? fresh };
    });
  }

  fold(log: string, request: FoldRequest): Promise<boolean> {
    return this.#run(async () => {
      const { epoch, first, record } = request;
      checkFold(log, first, record);
      const [row] = await this.#database.rows<{ is_done: boolean }>('SELECT loom.fold($1, $2, $3, $4, $5) AS is_done', [
        keyOf(log),
        epoch,
        first,
        record.seq,
        Buffer.from(record.text),
      ]);
      return row?.is_done === true;
    });
  }

  rewrite(rewrites: readonly LogRewrite[]): Promise<boolean> {
    return this.#run(async () => {
      for (const rewrite of rewrites) checkRewrite(rewrite);
      const own = rewrites.map((rewrite) => ({
        ...rewrite,
        records: rewrite.records.map((record) => ({ ...record })),
      }));
      const isDone = await rewriteLogs(this.#database, own, this.#formats.oldest);
      for (const { log } of isDone ? own : []) {
        this.#listeners.wake(log);
        this.#signals?.changed(log);
      }
      return isDone;
    });
  }

  readProjection(log: string, name: string, prefix = ''): Promise<Projection | undefined> {
    return this.#run(async () => {
      checkProjectionName(log, name);
      return readProjection(this.#database, log, name, prefix);
    });
  }

  writeProjection(log: string, name: string, request: ProjectionRequest): Promise<boolean> {
    return this.#run(async () => {
      checkProjection(log, name, request);
      return writeProjection(this.#database, log, name, request);
    });
  }

  listen(log: string, wake: (seq?: number) => void): () => void {
    this.#checkOpen();
    checkLogName(log);
    const stop = this.#listeners.add(log, wake);
    this.#polling?.start();
    return stop;
  }

  listenAll(wake: (log?: string) => void): () => void {
    this.#checkOpen();
    const stop = this.#listeners.addForAny(wake);
    this.#polling?.start();
    return stop;
  }

  announce(channel: string, message: string): void {
    this.#checkOpen();
    this.#listeners.tell(channel, message);
    this.#signals?.say(channel, message);
  }

  hear(channel: string, listener: (message: string) => void): () => void {
    this.#checkOpen();
    return this.#listeners.addHearer(channel, listener);
  }

  lease(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return this.#run(async () => {
      checkLeaseTime(milliseconds);
      return takeLease(this.#database, key, holder, milliseconds);
    });
  }

  release(key: string, holder: string): Promise<void> {
    return this.#run(() => releaseLease(this.#database, key, holder));
  }

  leases(prefix: string): Promise<ListedLease[]> {
    return this.#run(() => listLeases(this.#database, prefix));
  }

  putOnce(key: string, value: string, milliseconds: number): Promise<void> {
    return this.#run(async () => {
      checkOnce(key, value, milliseconds);
      await keepOnce(this.#database, key, value, milliseconds);
    });
  }

  takeOnce(key: string): Promise<string | undefined> {
    return this.#run(() => takeOnce(this.#database, key));
  }

  nextClientId(above = 1): Promise<number> {
    return this.#run(async () => {
      checkSeq('above', above);
      return nextClientId(this.#database, above);
    });
  }

  putBlob(bytes: Uint8Array): Promise<string> {
    return this.#run(() => this.#blobs.put(bytes, this.#writers));
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
    return this.#run(async () => this.#blobs.openSpool(name, this.#writers));
  }

  spools(): Promise<string[]> {
    return this.#run(() => this.#blobs.spoolNames());
  }

  /** A text that all processes share beside the logs; `undefined` if there is none of this name. */
  readDocument(name: string): Promise<KeptDocument | undefined> {
    return this.#run(() => readDocument(this.#database, name));
  }

  /** Puts a text in the place of the one with this version, 0 for none; false if there is another version by now. */
  writeDocument(name: string, document: KeptDocument): Promise<boolean> {
    return this.#run(() => writeDocument(this.#database, name, document));
  }

  /** The room that each part of the store takes in the database, in bytes. */
  sizes(): Promise<{ part: string; bytes: number }[]> {
    return this.#run(() => measureSizes(this.#database));
  }

  /** Begins a new epoch for every log, after the database was put back to an earlier point. Returns the number of logs. */
  renewEpochs(): Promise<number> {
    return this.#run(() => renewEpochs(this.#database));
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#listeners.clear();
    if (this.#underWay > 0) await new Promise<void>((resolve) => (this.#onIdle = resolve));
    await closeWriters(this.#writers);
    await this.#polling?.close();
    await this.#signals?.close();
    await this.#database.close();
  }

  async #read(log: string, afterSeq: number, throughSeq: number): Promise<LogContents | undefined> {
    return readLog(this.#database, log, afterSeq, throughSeq, this.#formats.newest);
  }

  /** Reads what a writer has not seen. The log may have moved on, or may have been rewritten, since the append was refused. */
  async #conflict(
    log: string,
    end: LogEnd,
    request: AppendRequest,
  ): Promise<{ epoch: string; tail: LogContents['records'] }> {
    const verdict = judgeAppend(log, end, request);
    if (verdict.type !== 'conflict')
      throw new Error(`an append to ${JSON.stringify(log)} was refused without a reason`);
    const read = await this.#read(log, verdict.afterSeq, highestSeq);
    const isSame = read !== undefined && read.epoch === end?.epoch;
    const contents = isSame ? read : await this.#read(log, 0, highestSeq);
    // Throws: the log is gone.
    if (contents === undefined) return this.#conflict(log, undefined, request);
    return { epoch: contents.epoch, tail: contents.records };
  }

  #checkOpen(): void {
    if (this.#closing !== undefined) throw closedStore();
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    this.#checkOpen();
    this.#underWay += 1;
    try {
      return await work();
    } finally {
      this.#underWay -= 1;
      if (this.#underWay === 0) this.#onIdle?.();
    }
  }
}

/** While one statement waits for the disk the next one is on its way. */
const lanes = 2;
