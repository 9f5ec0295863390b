import { Buffer } from 'node:buffer';
import { crc32, createInflateRaw } from 'node:zlib';
import { ChatExportError } from './chat-export-error.ts';
import { inPieces } from './random-access.ts';
import type { RandomAccess } from './random-access.ts';
import { readDirectory } from './zip-directory.ts';
import type { ZipEntry } from './zip-directory.ts';

export interface ZipLimits {
  /** The most bytes of all read entries together. */
  readonly total: number;
  /** The largest ratio of an entry's length to its packed length. */
  readonly ratio: number;
  readonly entries: number;
}

const zipLimits: ZipLimits = { total: 1024 * 1024 * 1024, ratio: 100, entries: 100_000 };

/** Small entries of repeated characters exceed that ratio by far, and do no harm. */
const smallEntry = 1024 * 1024;

/**
 * An archive whose entries are read one at a time. Nothing is ever written to the disk, and names of entries are only compared. An entry's claim
 * about its length is not trusted: bytes are counted while they are read.
 */
export class ZipArchive {
  readonly entries: readonly ZipEntry[];
  readonly #file: RandomAccess;
  readonly #limits: ZipLimits;
  #total = 0;

  private constructor(file: RandomAccess, entries: readonly ZipEntry[], limits: ZipLimits) {
    this.#file = file;
    this.entries = entries;
    this.#limits = limits;
  }

  static async open(file: RandomAccess, limits: ZipLimits = zipLimits): Promise<ZipArchive> {
    return new ZipArchive(file, await readDirectory(file, limits.entries), limits);
  }

  /** Yields the bytes of an entry, a piece at a time. Counts towards the total as often as it is read. */
  async *read(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    if (entry.isEncrypted)
      throw new ChatExportError('zip-encrypted', 'The archive has a password. Unpack it, and import what is in it.');
    const longest = Math.max(smallEntry, entry.packed * this.#limits.ratio);
    let length = 0;
    let sum = 0;
    for await (const piece of this.#unpacked(entry)) {
      length += piece.length;
      this.#total += piece.length;
      if (length > longest) throw bomb('An entry of the archive is many times as long as it is packed.');
      if (this.#total > this.#limits.total)
        throw bomb('The archive holds more than 1 GB, which is more than is read of one.');
      sum = crc32(piece, sum);
      yield piece;
    }
    if (sum !== entry.checksum || length !== entry.unpacked) {
      throw new ChatExportError('zip-broken', 'An entry of the archive is damaged. Get the export again.');
    }
  }

  /** Forgets the bytes read so far: the archive is read again. */
  rewind(): void {
    this.#total = 0;
  }

  async *#unpacked(entry: ZipEntry): AsyncGenerator<Uint8Array> {
    const header = Buffer.from(await this.#file.read(entry.offset, localHeader));
    if (header.length < localHeader || header.readUInt32LE(0) !== localSignature) {
      throw new ChatExportError('zip-broken', 'The archive is damaged. Get the export again.');
    }
    const start = entry.offset + localHeader + header.readUInt16LE(26) + header.readUInt16LE(28);
    const packed = inPieces(this.#file, start, Math.min(start + entry.packed, this.#file.size));
    if (entry.method === 0) {
      yield* packed;
      return;
    }
    if (entry.method !== 8) {
      throw new ChatExportError(
        'zip-broken',
        'The archive is packed in a way that is not read. Unpack it, and import what is in it.',
      );
    }
    yield* inflated(packed);
  }
}

/** Unpacks without holding more than the output of one piece: the stream waits until its output is taken. */
async function* inflated(packed: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const inflate = createInflateRaw({ chunkSize: 256 * 1024 });
  const feed = async (): Promise<void> => {
    for await (const piece of packed) {
      if (inflate.destroyed) return;
      if (!inflate.write(piece))
        await new Promise<void>((resolve) => void inflate.once('drain', resolve).once('close', resolve));
    }
    inflate.end();
  };
  const fed = feed().catch((error: unknown) => void inflate.destroy(error instanceof Error ? error : undefined));
  try {
    for await (const piece of inflate) if (piece instanceof Uint8Array) yield piece;
  } catch (error) {
    if (error instanceof ChatExportError) throw error;
    throw new ChatExportError('zip-broken', 'An entry of the archive is damaged. Get the export again.');
  } finally {
    inflate.destroy();
    await fed;
  }
}

function bomb(message: string): ChatExportError {
  return new ChatExportError(
    'zip-bomb',
    `${message} Nothing was taken in. If you trust it, unpack it, and import what is in it.`,
  );
}

const localHeader = 30;
const localSignature = 0x04034b50;
