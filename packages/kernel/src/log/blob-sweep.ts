import { blobsMentioned } from '../blob-references.ts';
import type { Store, SweptBlobs } from '../store.ts';

/** A blob is durable before the change that cites it, so one that no change cites may just be young. */
export const blobGrace = 7 * 24 * 60 * 60 * 1000;

export interface BlobSweepOptions {
  store: Store;
  /** The names of logs that the store does not list, because they are made when they are read. */
  unlisted?: readonly string[];
  /** The minimum age of a blob's last put, in milliseconds; a week by default. */
  unusedFor?: number;
  /** Only these may be removed; all, if it is not given. */
  among?: ReadonlySet<string>;
  /** Ends the reading; nothing is removed then. */
  signal?: AbortSignal;
}

/**
 * Removes the blobs that no log has named for a week. All logs are read, and those that are appended to meanwhile once more
 * before a blob goes. Rejects, and removes nothing, if one of them cannot be read, since the blobs it names are not known.
 */
export async function sweepBlobs(options: BlobSweepOptions): Promise<SweptBlobs> {
  const { store, unusedFor = blobGrace, among, signal } = options;
  const names = new NamesInLogs(store, signal);
  try {
    await names.readAll(options.unlisted ?? []);
    const isCited = async (id: string): Promise<boolean> => among?.has(id) === false || names.has(id);
    return await store.sweepBlobs({ unusedFor, isCited });
  } finally {
    names.close();
  }
}

/** The names of blobs in all logs, also in those that are appended to while it is used. */
class NamesInLogs {
  readonly #store: Store;
  readonly #signal: AbortSignal | undefined;
  readonly #names = new Set<string>();
  readonly #read = new Map<string, { epoch: string; seq: number }>();
  /** Logs that were appended to since they were read; all of them if that is not known. */
  readonly #changed = new Set<string>();
  #mayAllHaveChanged = false;
  readonly #stop: () => void;

  constructor(store: Store, signal: AbortSignal | undefined) {
    this.#store = store;
    this.#signal = signal;
    this.#stop = store.listenAll((log) => {
      if (log === undefined) this.#mayAllHaveChanged = true;
      else this.#changed.add(log);
    });
  }

  async readAll(unlisted: readonly string[]): Promise<void> {
    for (const log of new Set([...(await this.#store.logs()), ...unlisted])) await this.#readOn(log);
  }

  async has(id: string): Promise<boolean> {
    if (this.#names.has(id)) return true;
    if (this.#mayAllHaveChanged) {
      this.#mayAllHaveChanged = false;
      for (const log of [...(await this.#store.logs()), ...this.#read.keys()]) this.#changed.add(log);
    }
    for (const log of this.#changed) {
      this.#changed.delete(log);
      await this.#readOn(log);
    }
    return this.#names.has(id);
  }

  close(): void {
    this.#stop();
  }

  /** Reads the records that follow those already read of a log, some at a time: all of them if the log is another one. */
  async #readOn(log: string): Promise<void> {
    for (;;) {
      if (this.#signal?.aborted === true) throw new Error('the sweep was stopped');
      const known = this.#read.get(log);
      const after = known?.seq ?? 0;
      const contents = await this.#store.read(log, after, after + atOnce);
      if (contents === undefined) return;
      const { epoch, records } = contents;
      if (known !== undefined && known.epoch !== epoch) {
        this.#read.delete(log);
        continue;
      }
      for (const { text } of records) for (const name of blobsMentioned(text)) this.#names.add(name);
      const seq = records.at(-1)?.seq ?? after;
      this.#read.set(log, { epoch, seq });
      if (records.length === 0) return;
    }
  }
}

const atOnce = 500;
