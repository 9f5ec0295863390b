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
  LogRecord,
  LogRewrite,
  Projection,
  ProjectionRequest,
  Spool,
  Store,
  SweptBlobs,
} from '@loom/kernel/store';
import { pageOfHeads } from '@loom/kernel/store';
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
import { closedStore } from '../closed-store.ts';
import { listLeases } from '../lease.ts';
import type { Lease } from '../lease.ts';
import { Listeners } from '../listeners.ts';
import { checkOnce, putOnce } from '../kept-once.ts';
import type { KeptOnce } from '../kept-once.ts';
import { MemoryBlobs } from './memory-blobs.ts';
import { assembleProjection, checkProjection, checkProjectionName, judgeProjection } from '../projection-verdict.ts';

/** The sources of nondeterminism, for a simulator that wants to repeat a run. */
export interface MemoryStoreOptions {
  /** Milliseconds since 1970, for leases. */
  now?: () => number;
  /** A new id for the epoch of each log. */
  randomId?: () => string;
}

/** One handle on logs that live as long as the process. */
export interface MemoryStore extends Store {
  /** Returns another handle on the same logs, closed separately. Also works when this one is closed, as opening a file again does. */
  share(): MemoryStore;
}

/** Creates a store for tests and the simulator: an append has happened when the call returns, and its answer follows as a promise. */
export function createMemoryStore({ now = Date.now, randomId = randomUUID }: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryHandle({
    now,
    randomId,
    logs: new Map(),
    projections: new Map(),
    leases: new Map(),
    once: new Map(),
    blobs: new MemoryBlobs(now),
    lastClientId: 1,
    handles: new Set(),
  });
}

/** The state that all handles share. */
interface Memory {
  readonly now: () => number;
  readonly randomId: () => string;
  readonly logs: Map<string, KeptLog>;
  /** The projections, by log and name. */
  readonly projections: Map<string, Map<string, KeptProjection>>;
  readonly leases: Map<string, Lease>;
  readonly once: Map<string, KeptOnce>;
  readonly blobs: MemoryBlobs;
  lastClientId: number;
  readonly handles: Set<Listeners>;
}

interface KeptLog extends LogContents {
  head: LogHead | undefined;
}

interface KeptProjection {
  epoch: string;
  seq: number;
  parts: Map<string, string>;
}

class MemoryHandle implements MemoryStore {
  readonly capabilities = { durable: false, shared: true };
  readonly #shared: Memory;
  readonly #listeners = new Listeners();
  #closed = false;

  constructor(memory: Memory) {
    this.#shared = memory;
    memory.handles.add(this.#listeners);
  }

  share(): MemoryStore {
    return new MemoryHandle(this.#shared);
  }

  async logs(): Promise<string[]> {
    return [...this.#memory().logs.keys()].sort();
  }

  async heads(request: HeadsRequest): Promise<ListedLog[]> {
    const { logs } = this.#memory();
    const listed = Array.from(logs, ([log, { head }]) => (head === undefined ? { log } : { log, head: { ...head } }));
    return pageOfHeads(listed, request);
  }

  async read(log: string, afterSeq: number, throughSeq = highestSeq): Promise<LogContents | undefined> {
    const { logs } = this.#memory();
    checkLogName(log);
    checkSeq('afterSeq', afterSeq);
    checkSeq('throughSeq', throughSeq);
    const contents = logs.get(log);
    return contents && { epoch: contents.epoch, records: recordsBetween(contents, afterSeq, throughSeq) };
  }

  async append(log: string, request: AppendRequest): Promise<AppendResult> {
    const { logs, handles, randomId } = this.#memory();
    checkAppend(log, request);
    this.#memory().blobs.named.note(request.records);
    const found = logs.get(log);
    const verdict = judgeAppend(log, endOf(found), request);
    if (verdict.type === 'conflict' && found !== undefined) {
      return { ok: false, conflict: { epoch: found.epoch, tail: recordsBetween(found, verdict.afterSeq, highestSeq) } };
    }
    const contents = found ?? { epoch: randomId(), records: [], head: undefined };
    for (const record of request.records) contents.records.push(copyRecord(record));
    if (request.head !== 'same') contents.head = request.head && { ...request.head };
    logs.set(log, contents);
    for (const listeners of handles) listeners.wake(log, request.records.at(-1)?.seq);
    return { ok: true, epoch: contents.epoch };
  }

  async fold(log: string, { epoch, first, record }: FoldRequest): Promise<boolean> {
    const { logs } = this.#memory();
    checkFold(log, first, record);
    const contents = logs.get(log);
    if (contents === undefined || contents.epoch !== epoch) return false;
    const start = first === 1 ? 0 : contents.records.findIndex(({ seq }) => seq === first - 1) + 1;
    const end = contents.records.findIndex(({ seq }) => seq === record.seq);
    if ((first > 1 && start === 0) || end < start) return false;
    contents.records.splice(start, end + 1 - start, copyRecord(record));
    return true;
  }

  async rewrite(rewrites: readonly LogRewrite[]): Promise<boolean> {
    const { logs, projections, handles, randomId } = this.#memory();
    for (const rewrite of rewrites) checkRewrite(rewrite);
    const isKnown = rewrites.every(({ log, epoch, lastSeq }) => {
      const end = endOf(logs.get(log));
      return end?.epoch === epoch && end.lastSeq === lastSeq;
    });
    if (!isKnown) return false;
    for (const { log, records } of rewrites) {
      logs.set(log, { epoch: randomId(), records: records.map(copyRecord), head: undefined });
      projections.delete(log);
      for (const listeners of handles) listeners.wake(log);
    }
    return true;
  }

  async readProjection(log: string, name: string, prefix = ''): Promise<Projection | undefined> {
    const { logs, projections } = this.#memory();
    checkProjectionName(log, name);
    const kept = projections.get(log)?.get(name);
    if (kept === undefined || logs.get(log)?.epoch !== kept.epoch) return undefined;
    return assembleProjection(kept, prefix);
  }

  async writeProjection(log: string, name: string, request: ProjectionRequest): Promise<boolean> {
    const { logs, projections } = this.#memory();
    checkProjection(log, name, request);
    const named = projections.get(log) ?? new Map<string, KeptProjection>();
    const present = named.get(name);
    if (!judgeProjection(endOf(logs.get(log)), present, request)) return false;
    const { epoch, seq, base, put, drop } = request;
    const parts = new Map(base === undefined ? [] : present?.parts);
    for (const key of drop) parts.delete(key);
    for (const { key, text } of put) parts.set(key, text);
    projections.set(log, named.set(name, { epoch, seq, parts }));
    return true;
  }

  listen(log: string, wake: (seq?: number) => void): () => void {
    this.#memory();
    checkLogName(log);
    return this.#listeners.add(log, wake);
  }

  listenAll(wake: (log?: string) => void): () => void {
    this.#memory();
    return this.#listeners.addForAny(wake);
  }

  announce(channel: string, message: string): void {
    for (const listeners of this.#memory().handles) listeners.tell(channel, message);
  }

  hear(channel: string, listener: (message: string) => void): () => void {
    this.#memory();
    return this.#listeners.addHearer(channel, listener);
  }

  async lease(key: string, holder: string, milliseconds: number): Promise<boolean> {
    const { leases, now } = this.#memory();
    checkLeaseTime(milliseconds);
    const held = leases.get(key);
    if (held !== undefined && held.holder !== holder && held.until > now()) return false;
    leases.set(key, { holder, until: now() + milliseconds });
    return true;
  }

  async release(key: string, holder: string): Promise<void> {
    const { leases } = this.#memory();
    if (leases.get(key)?.holder === holder) leases.delete(key);
  }

  async leases(prefix: string): Promise<ListedLease[]> {
    const { leases, now } = this.#memory();
    return listLeases(leases, prefix, now());
  }

  async putOnce(key: string, value: string, milliseconds: number): Promise<void> {
    const { once, now } = this.#memory();
    checkOnce(key, value, milliseconds);
    putOnce(once, key, { value, until: now() + milliseconds }, now());
  }

  async takeOnce(key: string): Promise<string | undefined> {
    const { once, now } = this.#memory();
    const kept = once.get(key);
    once.delete(key);
    return kept !== undefined && kept.until > now() ? kept.value : undefined;
  }

  async nextClientId(above = 1): Promise<number> {
    const memory = this.#memory();
    checkSeq('above', above);
    memory.lastClientId = Math.max(memory.lastClientId, above) + 1;
    return memory.lastClientId;
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    return this.#memory().blobs.put(bytes);
  }

  async getBlob(id: string, range?: ByteRange): Promise<Uint8Array | undefined> {
    return this.#memory().blobs.get(id, range);
  }

  async blobSize(id: string): Promise<number | undefined> {
    return this.#memory().blobs.get(id)?.length;
  }

  async createBlob(): Promise<BlobWriter> {
    return this.#memory().blobs.create(() => void this.#memory());
  }

  async sweepBlobs(request: BlobSweep): Promise<SweptBlobs> {
    return this.#memory().blobs.sweep(request);
  }

  async openSpool(name: string): Promise<Spool> {
    return this.#memory().blobs.openSpool(name, () => void this.#memory());
  }

  async spools(): Promise<string[]> {
    return this.#memory().blobs.spoolNames();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#listeners.clear();
    this.#shared.handles.delete(this.#listeners);
  }

  #memory(): Memory {
    if (this.#closed) throw closedStore();
    return this.#shared;
  }
}

function endOf(contents: LogContents | undefined): LogEnd {
  return contents && { epoch: contents.epoch, lastSeq: contents.records.at(-1)?.seq ?? 0 };
}

function recordsBetween({ records }: LogContents, afterSeq: number, throughSeq: number): LogRecord[] {
  if (throughSeq <= afterSeq) return [];
  // Most ask for all records, or for the last few.
  const start = afterSeq === 0 ? 0 : records.findLastIndex(({ seq }) => seq <= afterSeq) + 1;
  const last = throughSeq === highestSeq ? -1 : records.findIndex(({ seq }) => seq >= throughSeq);
  return records.slice(start, last === -1 ? undefined : last + 1).map(copyRecord);
}

function copyRecord({ seq, text }: LogRecord): LogRecord {
  return { seq, text };
}
