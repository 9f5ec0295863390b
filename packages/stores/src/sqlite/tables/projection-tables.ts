import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { ProjectionPart, ProjectionRequest } from '@loom/kernel/store';
import { StoreError } from '@loom/kernel/store';
import { judgeProjection } from '../../projection-verdict.ts';
import { packText, unpackText } from '../../packed-text.ts';

/**
 * A part has a rowid because its text may be long: in the tree of an index, which `WITHOUT ROWID` would make of it, anything longer than a
 * quarter of a page takes separate pages.
 */
export const projectionSchema = `
  CREATE TABLE projections (
    id INTEGER PRIMARY KEY, log INTEGER NOT NULL, name TEXT NOT NULL, epoch TEXT NOT NULL, seq INTEGER NOT NULL, UNIQUE (log, name)
  ) STRICT;
  CREATE TABLE parts (projection INTEGER NOT NULL, key TEXT NOT NULL, packed BLOB NOT NULL, UNIQUE (projection, key)) STRICT;
`;

/** A part as it is kept: compressed, because that brings a checksum with it. */
export interface PackedPart {
  key: string;
  value: Uint8Array;
}

/** A projection as it is kept. */
export interface PackedProjection {
  epoch: string;
  seq: number;
  parts: PackedPart[];
}

/** Makes parts ready to be kept, which is the work that takes time. */
export function packParts(parts: readonly ProjectionPart[]): PackedPart[] {
  return parts.map(({ key, text }) => ({ key, value: packText(text) }));
}

/** Returns the texts of parts, as they were put. */
export async function unpackParts(parts: readonly PackedPart[]): Promise<ProjectionPart[]> {
  const unpacked: ProjectionPart[] = [];
  let length = 0;
  for (const { key, value } of parts) {
    unpacked.push({ key, text: unpackPart(value) });
    length += value.length;
    if (length < longestTurn) continue;
    // Handing parts to other threads takes longer than unpacking them. This only lets other work run in between.
    await nextTurn();
    length = 0;
  }
  return unpacked;
}

/** The number of packed bytes unpacked without a pause: a few milliseconds. */
const longestTurn = 512 * 1024;

/** A log as the tables know it. */
interface ProjectedLog {
  id: number;
  epoch: string;
  lastSeq: number;
}

/** The statements about projections of one connection. Each method is called inside a transaction. */
export class ProjectionTables {
  readonly #find: StatementSync;
  readonly #parts: StatementSync;
  readonly #set: StatementSync;
  readonly #clear: StatementSync;
  readonly #drop: StatementSync;
  readonly #put: StatementSync;

  constructor(database: DatabaseSync) {
    this.#find = database.prepare('SELECT id, epoch, seq FROM projections WHERE log = ? AND name = ?');
    this.#parts = database.prepare(
      // No byte of UTF-8 is FF: those with the prefix lie before it, side by side.
      "SELECT key, packed FROM parts WHERE projection = ?1 AND key >= ?3 AND key < ?2 || CAST(x'FF' AS TEXT) ORDER BY key LIMIT ?4",
    );
    this.#set = database.prepare(
      `INSERT INTO projections (log, name, epoch, seq) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (log, name) DO UPDATE SET epoch = ?3, seq = ?4 RETURNING id`,
    );
    this.#clear = database.prepare('DELETE FROM parts WHERE projection = ?');
    this.#drop = database.prepare('DELETE FROM parts WHERE projection = ? AND key = ?');
    this.#put = database.prepare(
      `INSERT INTO parts (projection, key, packed) VALUES (?1, ?2, ?3)
       ON CONFLICT (projection, key) DO UPDATE SET packed = ?3`,
    );
  }

  read(
    log: ProjectedLog,
    name: string,
    { prefix, after, rows }: { prefix: string; after: string | undefined; rows: number },
  ): (PackedProjection & { isLast: boolean }) | undefined {
    const found = this.#findProjection(log, name);
    if (found === undefined || found.epoch !== log.epoch || found.seq > log.lastSeq) return undefined;
    const { id, epoch, seq } = found;
    // No text lies between another one and itself with a NUL behind it.
    const from = after === undefined ? prefix : `${after}\0`;
    const parts = this.#parts.all(id, prefix, from, rows).map(({ key, packed: value }) => {
      if (!(value instanceof Uint8Array)) throw damagedPart();
      return { key: textOf(key), value };
    });
    return { epoch, seq, parts, isLast: parts.length < rows };
  }

  write(log: ProjectedLog, name: string, request: ProjectionRequest, put: readonly PackedPart[]): boolean {
    if (!judgeProjection(log, this.#findProjection(log, name), request)) return false;
    const id = numberOf(this.#set.get(log.id, name, request.epoch, request.seq)?.['id']);
    if (request.base === undefined) this.#clear.run(id);
    for (const key of request.drop) this.#drop.run(id, key);
    for (const { key, value } of put) this.#put.run(id, key, value);
    return true;
  }

  #findProjection(log: ProjectedLog, name: string): { id: number; epoch: string; seq: number } | undefined {
    const row = this.#find.get(log.id, name);
    return row && { id: numberOf(row['id']), epoch: textOf(row['epoch']), seq: numberOf(row['seq']) };
  }
}

function unpackPart(packed: unknown): string {
  if (!(packed instanceof Uint8Array)) throw damagedPart();
  try {
    return unpackText(packed);
  } catch {
    throw damagedPart();
  }
}

function numberOf(value: SQLOutputValue | undefined): number {
  if (typeof value === 'number') return value;
  throw damagedPart();
}

function textOf(value: SQLOutputValue | undefined): string {
  if (typeof value === 'string') return value;
  throw damagedPart();
}

function damagedPart(): StoreError {
  return new StoreError('store-corrupt', 'a projection is damaged', 'Nothing is lost: it is made again from the log.');
}
