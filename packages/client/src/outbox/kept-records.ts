import { byOrder, readRecord, writeRecord } from './outbox-record.ts';
import type { OutboxRecord } from './outbox-record.ts';
import type { OutboxStorage, StoredEntry } from './outbox-storage.ts';
import { isTextId } from './kept-entries.ts';

/**
 * The records of an outbox, in memory and in a storage. A storage that fails loses nothing in memory: records that it did
 * not take are offered to it again with the next change.
 */
export class KeptRecords {
  readonly #storage: OutboxStorage;
  readonly #records = new Map<string, OutboxRecord>();
  readonly #unkept = new Set<string>();
  #sorted: readonly OutboxRecord[] | undefined;
  #lastOrder = 0;
  #damaged: readonly StoredEntry[] = [];
  #isLoaded = false;
  #writing: Promise<unknown> = Promise.resolve();

  constructor(storage: OutboxStorage) {
    this.#storage = storage;
  }

  /** In the order in which they were added. */
  get all(): readonly OutboxRecord[] {
    return (this.#sorted ??= [...this.#records.values()].sort(byOrder));
  }

  /** The highest place that was given so far. */
  get lastOrder(): number {
    return this.#lastOrder;
  }

  /** The contents of the storage that are not entries. They stay there until they are removed. */
  get damaged(): readonly StoredEntry[] {
    return this.#damaged;
  }

  /** True if everything that is here would be there again after a reload, and everything that the storage holds is here. */
  get isSafe(): boolean {
    return this.#isLoaded && this.#unkept.size === 0;
  }

  get(id: string): OutboxRecord | undefined {
    return this.#records.get(id);
  }

  isKept(id: string): boolean {
    return !this.#unkept.has(id);
  }

  /** Reads what the storage holds, unless that was done. */
  async load(): Promise<void> {
    if (this.#isLoaded) return;
    try {
      const stored = await this.#storage.load();
      this.#isLoaded = true;
      for (const entry of stored) if (!this.#records.has(entry.id)) this.take(entry);
    } catch {
      // The write is tried again before anything is sent.
    }
  }

  /** Another user of the storage has kept something. */
  take(entry: StoredEntry): void {
    if (isTextId(entry.id)) return;
    const record = readRecord(entry);
    this.#damaged = this.#damaged.filter(({ id }) => id !== entry.id);
    if (record === undefined) this.#damaged = [...this.#damaged, entry];
    else this.#set(record);
  }

  /** Another user of the storage has removed something. */
  forget(id: string): void {
    this.#records.delete(id);
    this.#sorted = undefined;
    this.#unkept.delete(id);
    this.#damaged = this.#damaged.filter((entry) => entry.id !== id);
  }

  put(record: OutboxRecord): void {
    this.#set(record);
    this.#unkept.add(record.id);
    this.#writeUnkept();
  }

  remove(id: string): void {
    this.forget(id);
    // One that stays is sent once more after a reload, and nothing is done twice.
    this.#write(() => this.#storage.remove(id));
    this.#writeUnkept();
  }

  /** Offers all records to a storage that has lost everything. */
  keepAll(): void {
    for (const id of this.#records.keys()) this.#unkept.add(id);
    this.#damaged = [];
    this.#writeUnkept();
  }

  /** Resolves once the storage has taken, or has refused to take, everything so far. */
  async settled(): Promise<void> {
    await this.#writing;
  }

  #set(record: OutboxRecord): void {
    this.#records.set(record.id, record);
    this.#sorted = undefined;
    this.#lastOrder = Math.max(this.#lastOrder, record.order);
  }

  #writeUnkept(): void {
    for (const id of this.#unkept) {
      const record = this.#records.get(id);
      if (record !== undefined) this.#write(() => this.#storage.put(writeRecord(record)), record);
    }
  }

  /** Writes a record. A storage that works synchronously has taken it when this returns. */
  #write(write: () => void | Promise<void>, record?: OutboxRecord): void {
    try {
      const writing = write();
      if (writing === undefined) this.#kept(record);
      else this.#writing = Promise.allSettled([this.#writing, writing.then(() => this.#kept(record))]);
    } catch {
      // The record is known not to be kept, and is offered again.
    }
  }

  #kept(record: OutboxRecord | undefined): void {
    if (record !== undefined && this.#records.get(record.id) === record) this.#unkept.delete(record.id);
  }
}
