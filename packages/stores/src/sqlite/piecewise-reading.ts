import { setImmediate } from 'node:timers/promises';
import type { LogContents, Projection } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import { sortParts } from '../projection-verdict.ts';
import type { Connection } from './connection.ts';
import { unpackParts } from './tables/projection-tables.ts';
import type { PackedProjection } from './tables/projection-tables.ts';
import type { Piece, Tables } from './tables/tables.ts';

/** Reads a log, on the thread where the records are needed. */
export async function readLog(
  connection: Connection,
  log: string,
  afterSeq: number,
  throughSeq: number,
): Promise<LogContents | undefined> {
  const pieces = await readPieces(connection, (tables, before: LogPiece | undefined) =>
    tables.read(log, before?.records.at(-1)?.seq ?? afterSeq, throughSeq, pieceRows),
  );
  const [first] = pieces;
  return first && { epoch: first.epoch, records: pieces.flatMap(({ records }) => records) };
}

/** Reads a projection. It is only derived, so damage to it is absence; damage to its log is found by the reader of that. */
export async function readProjection(
  connection: Connection,
  log: string,
  name: string,
  prefix: string,
): Promise<Projection | undefined> {
  try {
    const pieces = await readPieces(connection, (tables, before: ProjectionPiece | undefined) =>
      tables.readProjection(log, name, { prefix, after: before?.parts.at(-1)?.key, rows: pieceRows }),
    );
    const [first] = pieces;
    if (first === undefined) return undefined;
    const parts = await unpackParts(pieces.flatMap((piece) => piece.parts));
    // The database sorts by UTF-8, which is another order above U+FFFF.
    return { epoch: first.epoch, seq: first.seq, parts: sortParts(parts) };
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store-corrupt') return undefined;
    throw error;
  }
}

type LogPiece = LogContents & Piece;
type ProjectionPiece = PackedProjection & Piece;

/** One piece if that is all, else all of them as they were at one moment, with a turn of the event loop between two. */
async function readPieces<P extends Piece>(
  connection: Connection,
  read: (tables: Tables, before: P | undefined) => P | undefined,
): Promise<P[]> {
  const only = await connection.transaction('BEGIN', (tables) => read(tables, undefined));
  if (only === undefined || only.isLast) return only === undefined ? [] : [only];
  return connection.readSlowly(async (tables) => {
    const pieces: P[] = [];
    for (;;) {
      const piece = read(tables, pieces.at(-1));
      if (piece === undefined) return pieces;
      pieces.push(piece);
      if (piece.isLast) return pieces;
      await setImmediate();
    }
  });
}

// Of compressed records a hundred may be some megabytes, which take ten milliseconds.
const pieceRows = 128;
