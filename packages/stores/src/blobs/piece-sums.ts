import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import { blobIdOf } from './blob-id.ts';

/** Checksums of the pieces of a blob, by which a range of it is checked without reading the rest. */
export interface PieceSums {
  /** The length of the blob. */
  bytes: number;
  /** The CRC-32 of each piece. */
  pieces: readonly number[];
}

/** The number of bytes read to check any range: a 1 GB blob has 4,096 such pieces. */
export const pieceBytes = 256 * 1024;

/** Hashes bytes as they come, as a whole and by pieces. */
export class RunningSums {
  readonly #hash = createHash('sha256');
  readonly #pieces: number[] = [];
  #bytes = 0;

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: Uint8Array): void {
    this.#hash.update(bytes);
    for (let from = 0; from < bytes.length;) {
      const part = bytes.subarray(from, from + pieceBytes - (this.#bytes % pieceBytes));
      const before = this.#bytes % pieceBytes === 0 ? 0 : (this.#pieces.pop() ?? 0);
      this.#pieces.push(crc32(part, before));
      this.#bytes += part.length;
      from += part.length;
    }
  }

  /** The id of all of them. Nothing can be added afterwards. */
  finish(): { id: string; sums: PieceSums } {
    return { id: blobIdOf(this.#hash), sums: { bytes: this.#bytes, pieces: this.#pieces } };
  }
}

/** Returns true if bytes that begin with a piece match the sums, up to their end. */
export function matchesPieces({ pieces }: PieceSums, bytes: Uint8Array, firstPiece: number): boolean {
  const count = Math.ceil(bytes.length / pieceBytes);
  return Array.from({ length: count }, (_, index) => index).every(
    (index) => crc32(bytes.subarray(index * pieceBytes, (index + 1) * pieceBytes)) === pieces[firstPiece + index],
  );
}
