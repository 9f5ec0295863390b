import { open } from 'node:fs/promises';
import type { BlobPort } from '@loom/kernel';
import type { LineReader } from '../foreign/foreign.ts';
import { LineSplitter } from '../foreign/line-splitter.ts';
import { bytesOf } from './file-bytes.ts';
import { findFile } from './file-scan.ts';
import type { Importer } from './importer.ts';
import { KeptBytes } from './kept-bytes.ts';

export interface LineFileOptions {
  path: string;
  reader: LineReader;
  importer: Importer;
  blobs: Pick<BlobPort, 'put'>;
}

export interface ReadingOptions {
  signal?: AbortSignal;
  /** Called with the number of bytes read since the last call. */
  progress?: (bytes: number) => void;
}

/** The number of bytes that identify a file: another beginning means another file under the same name. */
const markSize = 1024;

/** The number of bytes that make a separate piece while a file is followed. */
const followedPiece = 256 * 1024;

/** The number of chunks that wait until their conversation is known; a file that names none in as many is not kept from its beginning. */
const mostUnkept = 64;

/** A file of lines that is imported, and again whenever it has grown: each byte is read once. */
export class LineFile {
  readonly #options: LineFileOptions;
  readonly #splitter: LineSplitter;
  readonly #kept: KeptBytes;
  /** Bytes that were read before their conversation was known. */
  #unkept: Uint8Array[] = [];
  #offset = 0;
  #mark = Buffer.alloc(0);

  constructor(options: LineFileOptions) {
    this.#options = options;
    const { reader, blobs } = options;
    this.#kept = new KeptBytes(blobs);
    this.#splitter = new LineSplitter({
      line: (text) => reader.push(text),
      tooLong: (bytes) => reader.tally.reported(`a line of ${Math.round(bytes / 1e6)} MB is longer than what is read`),
    });
  }

  /** The number of bytes read. */
  get offset(): number {
    return this.#offset;
  }

  /** True if everything that was read was handed over: no line waits for its end. */
  get isComplete(): boolean {
    return this.#splitter.pending === 0;
  }

  /** Returns true if the file still exists, begins as it did, and has not become shorter. */
  async isSame(): Promise<boolean> {
    if ((await findFile(this.#options.path)) === undefined) return false;
    const file = await open(this.#options.path);
    try {
      const { size } = await file.stat();
      if (size < this.#offset) return false;
      const buffer = Buffer.alloc(this.#mark.length);
      await file.read(buffer, 0, buffer.length, 0);
      return buffer.equals(this.#mark);
    } finally {
      await file.close();
    }
  }

  /** Reads on to the present end of the file. Without `isLast` an incomplete line waits for its rest. */
  async readOn({ signal, progress, isLast = false }: ReadingOptions & { isLast?: boolean } = {}): Promise<void> {
    const { path, reader, importer } = this.#options;
    for await (const chunk of bytesOf(path, this.#offset)) {
      if (this.#mark.length < markSize)
        this.#mark = Buffer.concat([this.#mark, chunk.subarray(0, markSize - this.#mark.length)]);
      this.#offset += chunk.length;
      this.#splitter.push(chunk);
      await importer.take(reader.take());
      await this.#keep(chunk);
      progress?.(chunk.length);
      // The imported part stays; the rest comes later.
      if (signal?.aborted === true) break;
    }
    // The place where reading stopped is not the end of the file: half a line there is not a fault of the file.
    if (signal?.aborted !== true) {
      if (isLast) this.#splitter.end();
      reader.end();
    }
    await importer.take(reader.take());
    await this.#keep();
    const isDue = isLast || this.#kept.pending >= followedPiece;
    await importer.keepLines(isDue ? await this.#kept.end() : this.#kept.take());
    if (isLast && signal?.aborted !== true) await importer.connect(reader.ends?.() ?? []);
  }

  /** Keeps the bytes that were read, once it is known that they may be kept. */
  async #keep(chunk?: Uint8Array): Promise<void> {
    const { keepsLines } = this.#options.importer;
    if (keepsLines === undefined && this.#unkept.length < mostUnkept) {
      // The next read reuses its buffer.
      if (chunk !== undefined) this.#unkept.push(new Uint8Array(chunk));
      return;
    }
    const waiting = this.#unkept;
    this.#unkept = [];
    if (keepsLines !== true) return;
    for (const earlier of waiting) await this.#kept.push(earlier);
    if (chunk !== undefined) await this.#kept.push(chunk);
  }

  /** Keeps the bytes that are in no piece yet. */
  async end(): Promise<void> {
    const { importer, reader } = this.#options;
    await importer.keepLines(await this.#kept.end());
    await importer.connect(reader.ends?.() ?? []);
  }
}
