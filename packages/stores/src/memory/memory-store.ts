import { randomUUID } from 'node:crypto';
import type { AppendRequest, AppendResult, FoldRequest, LogContents, LogRecord, Store } from '@loom/kernel';
import { checkAppend, checkFold, checkLeaseTime, checkLogName, checkSeq, judgeAppend } from '../append-verdict.ts';
import { blobHash, blobId } from '../blob-id.ts';
import { closedStore } from '../closed-store.ts';
import { Listeners } from '../listeners.ts';

/** Whatever is not repeatable by itself, for a simulator that wants to repeat a run. */
export interface MemoryStoreOptions {
  /** Milliseconds since 1970, for leases. */
  now?: () => number;
  /** A new id for the epoch of each log. */
  randomId?: () => string;
}

/** One handle on logs that live as long as the process. */
export interface MemoryStore extends Store {
  /** Another handle on the same logs, closed on its own. Also works when this one is closed, as opening a file again does. */
  share(): MemoryStore;
}

/** A store for tests and the simulator: an append has happened when the call returns, and its answer follows as a promise. */
export function createMemoryStore({ now = Date.now, randomId = randomUUID }: MemoryStoreOptions = {}): MemoryStore {
  return new MemoryHandle({
    now,
    randomId,
    logs: new Map(),
    leases: new Map(),
    blobs: new Map(),
    lastClientId: 1,
    handles: new Set(),
  });
}

/** What all handles share. */
interface Memory {
  readonly now: () => number;
  readonly randomId: () => string;
  readonly logs: Map<string, LogContents>;
  readonly leases: Map<string, { holder: string; until: number }>;
  readonly blobs: Map<string, Uint8Array>;
  lastClientId: number;
  readonly handles: Set<Listeners>;
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

  async read(log: string, afterSeq: number): Promise<LogContents | undefined> {
    const { logs } = this.#memory();
    checkLogName(log);
    checkSeq('afterSeq', afterSeq);
    const contents = logs.get(log);
    return contents && { epoch: contents.epoch, records: recordsAfter(contents, afterSeq) };
  }

  async append(log: string, request: AppendRequest): Promise<AppendResult> {
    const { logs, handles, randomId } = this.#memory();
    checkAppend(log, request);
    const found = logs.get(log);
    const verdict = judgeAppend(log, found && { epoch: found.epoch, lastSeq: found.records.at(-1)?.seq ?? 0 }, request);
    if (verdict.type === 'conflict' && found !== undefined) {
      return { ok: false, conflict: { epoch: found.epoch, tail: recordsAfter(found, verdict.afterSeq) } };
    }
    const contents = found ?? { epoch: randomId(), records: [] };
    for (const record of request.records) contents.records.push(copyRecord(record));
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

  listen(log: string, wake: (seq?: number) => void): () => void {
    this.#memory();
    checkLogName(log);
    return this.#listeners.add(log, wake);
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

  async nextClientId(): Promise<number> {
    const memory = this.#memory();
    memory.lastClientId += 1;
    return memory.lastClientId;
  }

  async putBlob(bytes: Uint8Array): Promise<string> {
    const { blobs } = this.#memory();
    const kept = Uint8Array.from(bytes);
    const id = blobId(kept);
    blobs.set(id, kept);
    return id;
  }

  async getBlob(id: string): Promise<Uint8Array | undefined> {
    const { blobs } = this.#memory();
    if (blobHash(id) === undefined) return undefined;
    const kept = blobs.get(id);
    return kept && Uint8Array.from(kept);
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

function recordsAfter({ records }: LogContents, afterSeq: number): LogRecord[] {
  // Most ask for all records, or for the last few.
  const start = afterSeq === 0 ? 0 : records.findLastIndex(({ seq }) => seq <= afterSeq) + 1;
  return records.slice(start).map(copyRecord);
}

function copyRecord({ seq, text }: LogRecord): LogRecord {
  return { seq, text };
}
