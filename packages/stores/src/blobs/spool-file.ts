import type { ByteRange, FinishedBlob, Spool } from '@loom/kernel/store';
import { closedStore } from '../closed-store.ts';
import { fileFailure } from '../disk/file-failure.ts';
import type { FilesPort } from '../disk/files-port.ts';
import { boundsOf } from './byte-range.ts';
import type { PieceSums } from './piece-sums.ts';
import { RunningSums } from './piece-sums.ts';
import { StretchFile } from './spool-stretches.ts';
import { TailFile } from './tail-file.ts';
import { WriterCalls } from './writer-calls.ts';
import type { OpenWriters } from './writer-calls.ts';

/** The files of a spool as one writer has them. */
export interface SpoolPaths {
  bytes: string;
  sums: string;
  /** Present once the spool is finished: the blob it has become. */
  finished: string;
}

/** The collaborators of a spool. */
export interface SpoolFileParts {
  name: string;
  files: FilesPort;
  paths: SpoolPaths;
  /** Makes the entries of the directory durable. */
  syncDirectory: () => Promise<void>;
  /** Makes a blob of the file, durably; it can be found by the spool's name at any moment. */
  finish: (id: string, sums: PieceSums) => Promise<void>;
  readBlob: (id: string, range: ByteRange) => Promise<Uint8Array>;
  /** Removes all files. */
  remove: () => Promise<void>;
  writers: OpenWriters;
}

/** A spool that is being written by this process. */
export class SpoolFile implements Spool {
  readonly #parts: SpoolFileParts;
  readonly #file: TailFile;
  readonly #stretches: StretchFile;
  readonly #sums = new RunningSums();
  readonly #calls: WriterCalls;
  #size = 0;
  #isListed = false;
  /** The bytes written since the last sync began, and the outcome of that sync. */
  #unsynced = 0;
  #isSyncing = false;
  #synced: Promise<void> = Promise.resolve();
  #isClosed = false;
  #finishing: Promise<FinishedBlob> | undefined;
  #finished: FinishedBlob | undefined;

  private constructor(parts: SpoolFileParts, file: TailFile, stretches: StretchFile) {
    this.#parts = parts;
    this.#file = file;
    this.#stretches = stretches;
    this.#calls = new WriterCalls(async () => {
      parts.writers.delete(this);
      await this.#closeFiles();
    });
    parts.writers.add(this);
  }

  static async create(parts: SpoolFileParts): Promise<SpoolFile> {
    const { files, paths } = parts;
    // Without the first the second says nothing.
    const stretches = await StretchFile.create(files, paths.sums);
    try {
      return new SpoolFile(parts, await TailFile.create(files, paths.bytes), stretches);
    } catch (error) {
      await stretches.close().catch(() => undefined);
      throw error;
    }
  }

  get size(): number {
    return this.#size;
  }

  async append(bytes: Uint8Array): Promise<void> {
    if (this.#finishing !== undefined) throw new TypeError(`the spool ${this.#parts.name} is finished`);
    this.#size += bytes.length;
    await this.#write(async () => {
      for (let from = 0; from < bytes.length; from += largestStretch) {
        const part = bytes.subarray(from, from + largestStretch);
        const written = this.#file.write(part);
        // The processor hashes while the disk writes.
        this.#sums.add(part);
        await written;
        await this.#stretches.add(part);
        this.#syncSoon(part.length);
      }
    });
  }

  sync(): Promise<void> {
    return this.#write(() => this.#sync());
  }

  async read(range: ByteRange = {}): Promise<Uint8Array> {
    const { start, end } = boundsOf(range, this.#size);
    return this.#calls.look(async () => {
      const { files, paths, readBlob, name } = this.#parts;
      if (this.#finished !== undefined) return readBlob(this.#finished.id, { start, end });
      return files.read(paths.bytes, start, end).catch((error: unknown) => {
        throw fileFailure(error, `could not read the spool ${name}`);
      });
    });
  }

  finish(): Promise<FinishedBlob> {
    this.#finishing ??= this.#finish();
    return this.#finishing;
  }

  async drop(): Promise<void> {
    if (this.#isClosed) throw closedStore();
    await this.#calls.end(new TypeError(`the spool ${this.#parts.name} was dropped`));
    await this.#parts.remove();
  }

  /** Closes the spool with the store; the appended bytes stay. */
  close(): Promise<void> {
    this.#isClosed = true;
    return this.#calls.end(closedStore());
  }

  #finish(): Promise<FinishedBlob> {
    return this.#write(async () => {
      await this.#sync();
      await this.#closeFiles();
      const { id, sums } = this.#sums.finish();
      await this.#parts.finish(id, sums);
      this.#finished = { id, bytes: sums.bytes };
      return this.#finished;
    });
  }

  /** Lets the disk begin with the work that a later `sync` would wait for. */
  #syncSoon(bytes: number): void {
    this.#unsynced += bytes;
    if (this.#unsynced < mostUnsynced || this.#isSyncing) return;
    this.#unsynced = 0;
    this.#isSyncing = true;
    this.#synced = this.#file.sync().finally(() => (this.#isSyncing = false));
    // A system reports a failed write once: `sync` must not miss it.
    this.#synced.catch(() => undefined);
  }

  async #sync(): Promise<void> {
    if (this.#finished !== undefined) return;
    await this.#synced;
    this.#unsynced = 0;
    await Promise.all([this.#file.sync(), this.#stretches.sync()]);
    if (!this.#isListed) await this.#parts.syncDirectory();
    this.#isListed = true;
  }

  async #closeFiles(): Promise<void> {
    await this.#synced.catch(() => undefined);
    await Promise.all([this.#file.close(), this.#stretches.close()]);
  }

  #write<T>(work: () => Promise<T>): Promise<T> {
    return this.#calls.run(() =>
      work().catch((error: unknown) => {
        throw fileFailure(error, `could not write the spool ${this.#parts.name}`);
      }),
    );
  }
}

/** The number of unsynced bytes that starts a sync while more is written. */
const mostUnsynced = 16 * 1024 * 1024;

/** The largest piece checked at once when the spool is reopened. */
const largestStretch = 1024 * 1024;
