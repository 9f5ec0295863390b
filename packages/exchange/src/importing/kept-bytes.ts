import { promisify } from 'node:util';
import { zstdCompress, zstdDecompress } from 'node:zlib';
import type { BlobPort } from '@loom/kernel';
import type { KeptLines } from './import-note.ts';

/** The number of bytes of a file in one piece. */
const pieceSize = 1024 * 1024;

const compress = promisify(zstdCompress);
const decompress = promisify(zstdDecompress);

/**
 * Keeps the bytes of a file verbatim, compressed, in pieces: a better reader can read them again one day, when the file itself is long gone. The same
 * file gives the same pieces, so that reading it twice keeps it once.
 */
export class KeptBytes {
  readonly #blobs: Pick<BlobPort, 'put'>;
  /** As large as was needed so far; reused for the next piece. */
  #open: Buffer = Buffer.alloc(0);
  #length = 0;
  #pieces: KeptLines[] = [];

  constructor(blobs: Pick<BlobPort, 'put'>) {
    this.#blobs = blobs;
  }

  async push(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length;) {
      const piece = bytes.subarray(start, start + pieceSize - this.#length);
      this.#hold(piece);
      start += piece.length;
      if (this.#length === pieceSize) await this.#close();
    }
  }

  /** The number of bytes that are not in a piece yet. */
  get pending(): number {
    return this.#length;
  }

  /** Puts the remaining bytes into a piece. Returns the pieces since the last call. */
  async end(): Promise<KeptLines[]> {
    if (this.#length > 0) await this.#close();
    return this.take();
  }

  /** Returns the pieces that were completed since the last call. */
  take(): KeptLines[] {
    const pieces = this.#pieces;
    this.#pieces = [];
    return pieces;
  }

  #hold(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#open.length) {
      const larger = Buffer.allocUnsafe(Math.min(Math.max(length, 2 * this.#open.length), pieceSize));
      this.#open.copy(larger, 0, 0, this.#length);
      this.#open = larger;
    }
    this.#open.set(piece, this.#length);
    this.#length = length;
  }

  async #close(): Promise<void> {
    const bytes = this.#open.subarray(0, this.#length);
    this.#length = 0;
    this.#pieces.push({ blob: await this.#blobs.put(await compress(bytes)), bytes: bytes.length });
  }
}

/**
 * Returns true if the kept bytes of a file may mention any of some names. Bytes that cannot be read, or that hide names, such as those of a zip
 * archive, may mention anything.
 */
export async function mayMention(
  blobs: Pick<BlobPort, 'get'>,
  pieces: readonly string[],
  names: readonly string[],
): Promise<boolean> {
  const longest = Math.max(0, ...names.map((name) => Buffer.byteLength(name)));
  let before = Buffer.alloc(0);
  for (const [index, piece] of pieces.entries()) {
    const packed = await blobs.get(piece);
    const bytes = packed && (await decompress(packed).catch(() => undefined));
    if (bytes === undefined || (index === 0 && bytes.toString('latin1', 0, 2) === 'PK')) return true;
    const text = Buffer.concat([before, bytes]);
    if (names.some((name) => text.includes(name))) return true;
    // A name may begin in one piece and end in the next.
    before = text.subarray(Math.max(0, text.length - longest));
  }
  return false;
}
