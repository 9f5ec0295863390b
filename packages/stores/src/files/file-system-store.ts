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
import {
  checkAppend,
  checkFold,
  checkLeaseTime,
  checkLogName,
  checkRewrite,
  checkSeq,
  highestSeq,
} from '../append-verdict.ts';
import { closeWriters } from '../blobs/writer-calls.ts';
import type { OpenWriters } from '../blobs/writer-calls.ts';
import { closedStore } from '../closed-store.ts';
import { checkOnce } from '../kept-once.ts';
import { Listeners } from '../listeners.ts';
import { checkProjection, checkProjectionName } from '../projection-verdict.ts';
import type { DataDirectory } from './data-directory.ts';

/** The collaborators of a handle. */
export interface FileSystemStoreParts {
  data: DataDirectory;
  now: () => number;
  /** Puts other records in the place of those of some logs. */
  rewrite: (rewrites: readonly LogRewrite[]) => Promise<boolean>;
  /** Called once, when the handle is closed and its work is done. */
  ended: () => void;
}

/** One handle on logs in plain files. Several handles of one process work together; several processes must not. */
export class FileSystemStore implements Store {
  readonly capabilities = { durable: true, shared: false };
  readonly #data: DataDirectory;
  readonly #now: () => number;
  readonly #rewrite: FileSystemStoreParts['rewrite'];
  readonly #ended: () => void;
  readonly #listeners = new Listeners();
  readonly #writers: OpenWriters = new Set();
  readonly #underWay = new Set<Promise<unknown>>();
  #closing: Promise<void> | undefined;

  constructor({ data, now, rewrite, ended }: FileSystemStoreParts) {
    this.#data = data;
    this.#now = now;
    this.#rewrite = rewrite;
    this.#ended = ended;
    data.handles.add(this.#listeners);
  }

  logs(): Promise<string[]> {
    return this.#run(() => this.#data.logNames());
  }

  heads(request: HeadsRequest): Promise<ListedLog[]> {
    return this.#run(() => this.#data.heads(request));
  }

  read(log: string, afterSeq: number, throughSeq = highestSeq): Promise<LogContents | undefined> {
    return this.#run(async () => {
      checkLogName(log);
      checkSeq('afterSeq', afterSeq);
      checkSeq('throughSeq', throughSeq);
      return this.#data.log(log).read(afterSeq, throughSeq);
    });
  }

  append(log: string, request: AppendRequest): Promise<AppendResult> {
    return this.#run(async () => {
      checkAppend(log, request);
      // The caller may change its array while the request waits for its turn.
      const own = { ...request, records: request.records.map((record) => ({ ...record })) };
      if (typeof request.head === 'object') own.head = { ...request.head };
      this.#data.blobs.named.note(own.records);
      const result = await this.#data.log(log).append(own);
      if (!result.ok) return result;
      this.#data.noteHead(log, own.head);
      for (const listeners of this.#data.handles) listeners.wake(log, own.records.at(-1)?.seq);
      return result;
    });
  }

  fold(log: string, request: FoldRequest): Promise<boolean> {
    return this.#run(async () => {
      checkFold(log, request.first, request.record);
      return this.#data.log(log).fold({ ...request, record: { ...request.record } });
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
        return await this.#rewrite(own);
      } finally {
        // Some may be other ones by now also where others could not be rewritten.
        for (const { log } of rewrites) {
          this.#data.noteHead(log, undefined);
          for (const listeners of this.#data.handles) listeners.wake(log);
        }
      }
    });
  }

  readProjection(log: string, name: string, prefix = ''): Promise<Projection | undefined> {
    return this.#run(async () => {
      checkProjectionName(log, name);
      return this.#data.projection(log, name).read(await this.#data.log(log).end(), prefix);
    });
  }

  writeProjection(log: string, name: string, request: ProjectionRequest): Promise<boolean> {
    return this.#run(async () => {
      checkProjection(log, name, request);
      const own = { ...request, put: request.put.map(({ key, text }) => ({ key, text })), drop: [...request.drop] };
      return this.#data.writeProjection(log, name, own);
    });
  }

  listen(log: string, wake: (seq?: number) => void): () => void {
    if (this.#closing !== undefined) throw closedStore();
    checkLogName(log);
    return this.#listeners.add(log, wake);
  }

  listenAll(wake: (log?: string) => void): () => void {
    if (this.#closing !== undefined) throw closedStore();
    return this.#listeners.addForAny(wake);
  }

  announce(channel: string, message: string): void {
    if (this.#closing !== undefined) throw closedStore();
    for (const listeners of this.#data.handles) listeners.tell(channel, message);
  }

  hear(channel: string, listener: (message: string) => void): () => void {
    if (this.#closing !== undefined) throw closedStore();
    return this.#listeners.addHearer(channel, listener);
  }

  lease(key: string, holder: string, milliseconds: number): Promise<boolean> {
    return this.#run(async () => {
      checkLeaseTime(milliseconds);
      return this.#data.leases.take(key, holder, milliseconds, this.#now);
    });
  }

  release(key: string, holder: string): Promise<void> {
    return this.#run(() => this.#data.leases.release(key, holder));
  }

  leases(prefix: string): Promise<ListedLease[]> {
    return this.#run(() => this.#data.leases.list(prefix, this.#now));
  }

  putOnce(key: string, value: string, milliseconds: number): Promise<void> {
    return this.#run(async () => {
      checkOnce(key, value, milliseconds);
      const now = this.#now();
      await this.#data.once.put(key, { value, until: now + milliseconds }, now);
    });
  }

  takeOnce(key: string): Promise<string | undefined> {
    return this.#run(() => this.#data.once.take(key, this.#now));
  }

  nextClientId(above = 1): Promise<number> {
    return this.#run(() => this.#data.clientIds.next(above));
  }

  putBlob(bytes: Uint8Array): Promise<string> {
    return this.#run(() => this.#data.blobs.put(bytes));
  }

  getBlob(id: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    return this.#run(() => this.#data.blobs.get(id, range));
  }

  blobSize(id: string): Promise<number | undefined> {
    return this.#run(() => this.#data.blobs.size(id));
  }

  createBlob(): Promise<BlobWriter> {
    return this.#run(() => this.#data.blobs.create(this.#writers));
  }

  sweepBlobs(request: BlobSweep): Promise<SweptBlobs> {
    return this.#run(() => this.#data.blobs.sweep(request));
  }

  openSpool(name: string): Promise<Spool> {
    return this.#run(() => this.#data.blobs.openSpool(name, this.#writers));
  }

  spools(): Promise<string[]> {
    return this.#run(() => this.#data.blobs.spoolNames());
  }

  close(): Promise<void> {
    this.#closing ??= this.#end();
    return this.#closing;
  }

  async #end(): Promise<void> {
    this.#listeners.clear();
    await Promise.allSettled(this.#underWay);
    await closeWriters(this.#writers);
    this.#data.handles.delete(this.#listeners);
    this.#ended();
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
}
