import type { Projection, ProjectionRequest } from '@loom/kernel/store';
import { assembleProjection } from '../projection-verdict.ts';
import { boundKey, keyOf, keyRange, textOfKey } from './bounded-key.ts';
import type { Database } from './database.ts';
import { PackedTexts } from './packed-bytes.ts';

/** Reads a projection, as it is at one moment. */
export async function readProjection(
  database: Database,
  log: string,
  name: string,
  prefix: string,
): Promise<Projection | undefined> {
  const { from, before } = keyRange(prefix);
  const rows = await database.rows<PartRow>(readStatement, [keyOf(log), keyOf(name), from, before]);
  const about = rows.find(({ epoch }) => epoch !== null);
  if (about === undefined) return undefined;
  const parts = rows.flatMap(({ key, whole, text }) =>
    key === null || text === null ? [] : [[textOfKey(key, whole), text.toString()] as const],
  );
  return assembleProjection({ epoch: about.epoch ?? '', seq: about.seq ?? 0, parts }, prefix);
}

/** Makes or extends a projection, as a whole or not at all. */
export async function writeProjection(
  database: Database,
  log: string,
  name: string,
  { epoch, seq, base, put, drop }: ProjectionRequest,
): Promise<boolean> {
  const texts = new PackedTexts();
  for (const { text } of put) texts.add(text);
  const keys = put.map(({ key }) => boundKey(key));
  const [row] = await database.rows<{ is_done: boolean }>(writeStatement, [
    keyOf(log),
    keyOf(name),
    epoch,
    seq,
    base ?? null,
    drop.map(keyOf),
    keys.map(({ key }) => key),
    keys.map(({ whole }) => whole),
    texts.starts,
    texts.sizes,
    texts.bytes,
  ]);
  return row?.is_done === true;
}

type PartRow = {
  key: Buffer | null;
  whole: Buffer | null;
  text: Buffer | null;
  epoch: string | null;
  seq: number | null;
};

const readStatement = `
  WITH found AS (
    SELECT p.log, p.name, p.epoch, p.seq FROM loom.projections p JOIN loom.logs l ON l.log = p.log AND l.epoch = p.epoch
    WHERE p.log = $1 AND p.name = $2
  )
  SELECT NULL::bytea AS key, NULL::bytea AS whole, NULL::bytea AS text, f.epoch, f.seq::double precision AS seq FROM found f
  UNION ALL
  SELECT p.key, p.whole, p.text, NULL, NULL FROM found f JOIN loom.parts p ON p.log = f.log AND p.name = f.name
  WHERE p.key >= $3 AND ($4::bytea IS NULL OR p.key < $4)`;

const writeStatement = `SELECT loom.write_projection($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) AS is_done`;
