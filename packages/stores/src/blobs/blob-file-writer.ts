import type { BlobWriter, FinishedBlob } from '@loom/kernel/store';
import { closedStore } from '../closed-store.ts';
import { fileFailure } from '../disk/file-failure.ts';
import type { FilesPort } from '../disk/files-port.ts';
import type { PieceSums } from './piece-sums.ts';
import { RunningSums } from './piece-sums.ts';
import { TailFile } from './tail-file.ts';
import { WriterCalls } from './writer-calls.ts';
import type { OpenWriters } from './writer-calls.ts';

/** The collaborators of a writer. */
export interface BlobFileWriterParts {
  files: FilesPort;
  /** A temporary name. */
  path: string;
  /** Puts the finished file in its place, durably. */
  place: (path: string, id: string, sums: PieceSums) => Promise<void>;
  writers: OpenWriters;
}

/** Writes a blob into a temporary file, which gets its name when its hash is known. */
export class BlobFileWriter implements BlobWriter {
  readonly #parts: BlobFileWriterParts;
  readonly #file: TailFile;
  readonly #sums = new RunningSums();
  readonly #calls: WriterCalls;
  #isPlaced = false;
  #finishing: Promise<FinishedBlob> | undefined;

  private constructor(parts: BlobFileWriterParts, file: TailFile) {
    this.#parts = parts;
    this.#file = file;
    this.#calls = new WriterCalls(async () => {
      parts.writers.delete(this);
      await file.close();
      if (!this.#isPlaced) await parts.files.remove(file.path);
    });
    parts.writers.add(this);
  }

  static async create(parts: BlobFileWriterParts): Promise<BlobFileWriter> {
    return new BlobFileWriter(parts, await TailFile.create(parts.files, parts.path));
  }

  write(bytes: Uint8Array): Promise<void> {
    // The caller may change its array while the bytes before it are written.
    const own = bytes.slice();
    return this.#run(async () => {
      await this.#file.write(own);
      this.#sums.add(own);
    });
  }

  finish(): Promise<FinishedBlob> {
    this.#finishing ??= this.#finish();
    return this.#finishing;
  }

  abandon(): Promise<void> {
    return this.#calls.end(new TypeError('this blob was abandoned'));
  }

  /** Abandons an unfinished blob when the store is closed. */
  close(): Promise<void> {
    return this.#calls.end(closedStore());
  }

  async #finish(): Promise<FinishedBlob> {
    const blob = await this.#run(async () => {
      await this.#file.sync();
      await this.#file.close();
      const { id, sums } = this.#sums.finish();
      await this.#parts.place(this.#file.path, id, sums);
      this.#isPlaced = true;
      return { id, bytes: sums.bytes };
    });
    await this.#calls.end(new TypeError('this blob is finished'));
    return blob;
  }

  #run<T>(work: () => Promise<T>): Promise<T> {
    return this.#calls.run(() =>
      work().catch((error: unknown) => {
        throw fileFailure(error, 'could not write a blob');
      }),
    );
  }
}
