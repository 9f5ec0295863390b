import { crc32 } from 'node:zlib';
import { StoreError } from '@loom/kernel/store';
import type { Database } from '../database.ts';

/** The largest piece: a blob of up to so many bytes is one row. */
export const pieceBytes = 1024 * 1024;

/** Reads bytes from `start` up to `end` out of the pieces of one owner, each of which is checked as a whole. */
export async function readPieces(
  database: Database,
  owner: string,
  { start, end }: { start: number; end: number },
): Promise<Uint8Array> {
  if (end <= start) return new Uint8Array();
  const bytes = new Uint8Array(end - start);
  let due = start;
  for await (const piece of piecesOf(database, owner, { start, end })) {
    const from = due - piece.start;
    const part = piece.bytes.subarray(from, Math.min(piece.bytes.length, end - piece.start));
    bytes.set(part, due - start);
    due += part.length;
  }
  if (due < end) throw damagedPieces();
  return bytes;
}

/** Yields the pieces that hold a range, a few at a time. */
export async function* piecesOf(
  database: Database,
  owner: string,
  { start, end }: { start: number; end: number },
): AsyncGenerator<{ start: number; bytes: Buffer }> {
  for (let due = start; due < end;) {
    const rows = await database.rows<PieceRow>(piecesStatement, [owner, due, end]);
    for (const { start: begin, sum, bytes } of rows) {
      if (begin > due || begin + bytes.length <= due || crc32(bytes) !== sum) throw damagedPieces();
      yield { start: begin, bytes };
      due = begin + bytes.length;
    }
    if (rows.length === 0) throw damagedPieces();
  }
}

type PieceRow = { start: number; sum: number; bytes: Buffer };

const piecesStatement = `
  SELECT start::double precision AS start, sum::double precision AS sum, bytes FROM loom.pieces
  WHERE owner = $1 AND start < $3 AND start + size > $2 ORDER BY loom.pieces.start LIMIT 4`;

function damagedPieces(): StoreError {
  return new StoreError(
    'store-corrupt',
    'pieces of a blob are missing or damaged',
    'Restore the database from a backup; other blobs and all conversations can be used.',
  );
}
