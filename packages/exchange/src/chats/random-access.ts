/** Bytes that can be read at any place: a file, without this package knowing where it is. */
export interface RandomAccess {
  readonly size: number;
  /** Fewer bytes than asked for only at the end. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** All bytes in their order, a piece at a time. */
export async function* inPieces(file: RandomAccess, start = 0, end = file.size): AsyncGenerator<Uint8Array> {
  for (let at = start; at < end;) {
    const piece = await file.read(at, Math.min(pieceSize, end - at));
    if (piece.length === 0) return;
    yield piece;
    at += piece.length;
  }
}

const pieceSize = 512 * 1024;
