import type { SearchableBlock } from '@loom/kernel/search';
import { keyOfBlock, packKeys, packStretch, unpackKeys } from '../../search/stretch.ts';
import { planStretches } from '../../search/stretches.ts';
import type { PlannedStretch } from '../../search/stretches.ts';
import { keyOf } from '../bounded-key.ts';
import type { Database, Query } from '../database.ts';
import type { ReadLog } from './log-indexer.ts';
import { SmallTrigrams } from './small-trigrams.ts';

/** Enters a conversation as it was read; nothing if another process was faster, or the log was rewritten meanwhile. */
export async function enterLog(database: Database, log: string, { epoch, seq, blocks }: ReadLog): Promise<void> {
  const key = keyOf(log);
  const [before] = await database.rows<{ version: number }>(
    'SELECT version::double precision AS version FROM loom.search_logs WHERE log = $1',
    [key],
  );
  const known = await database.rows<KnownRow>(
    'SELECT id::double precision AS id, place, keys FROM loom.stretches WHERE log = $1 ORDER BY place',
    [key],
  );
  const keys = blocks.map(keyOfBlock);
  const planned = planStretches(
    known.map(({ id, keys: packed }) => ({ id, keys: unpackKeys(packed) })),
    blocks.map(({ text }, index) => ({ key: keys[index] ?? '', length: text.length })),
  );
  const { kept, added } = sortOut(planned, known);
  const rows = added.map(({ place, from, to }) => rowOf(place, blocks.slice(from, to), keys.slice(from, to)));
  const size = blocks.reduce((sum, { text }) => sum + text.length, 0);
  await database.transaction(async (query) => {
    // Waits for a rewriting of the log, and keeps one waiting, but no append.
    const there = await query('SELECT true FROM loom.logs WHERE log = $1 AND epoch = $2 FOR KEY SHARE', [key, epoch]);
    if (there.length === 0) return;
    const taken = await query(
      `INSERT INTO loom.search_logs AS s (log, epoch, seq, size, version) VALUES ($1, $2, $3, $4, 1)
       ON CONFLICT (log) DO UPDATE SET epoch = excluded.epoch, seq = excluded.seq, size = excluded.size, version = s.version + 1
         WHERE s.version = $5 AND (s.epoch <> excluded.epoch OR s.seq < excluded.seq)
       RETURNING true`,
      [key, epoch, seq, size, before?.version ?? null],
    );
    if (taken.length === 0) return;
    await query('DELETE FROM loom.stretches WHERE log = $1 AND id <> ALL ($2)', [key, kept.map(({ id }) => id)]);
    const moved = kept.filter(({ id, place }) => known.find((row) => row.id === id)?.place !== place);
    if (moved.length > 0) {
      await query(
        `UPDATE loom.stretches t SET place = m.place FROM unnest($2::bigint[], $3::integer[]) AS m (id, place)
         WHERE t.log = $1 AND t.id = m.id`,
        [key, moved.map(({ id }) => id), moved.map(({ place }) => place)],
      );
    }
    for (let from = 0; from < rows.length; from += rowsAtOnce) {
      await insertRows(query, key, rows.slice(from, from + rowsAtOnce));
    }
  });
}

type KnownRow = { id: number; place: number; keys: Buffer };

/** Says of a plan what stays, at which place, and what is new. */
function sortOut(
  planned: readonly PlannedStretch[],
  known: readonly KnownRow[],
): { kept: { id: number; place: number }[]; added: { place: number; from: number; to: number }[] } {
  const ids = new Set(known.map(({ id }) => id));
  const kept = planned.flatMap((stretch, place) =>
    stretch.type === 'kept' && ids.has(stretch.id) ? [{ id: stretch.id, place }] : [],
  );
  const added = planned.flatMap((stretch, place) =>
    stretch.type === 'new' ? [{ place, from: stretch.from, to: stretch.to }] : [],
  );
  return { kept, added };
}

interface StretchToAdd {
  place: number;
  size: number;
  parts: readonly Uint8Array[];
  words: readonly number[];
}

function rowOf(place: number, blocks: readonly SearchableBlock[], keys: readonly string[]): StretchToAdd {
  const packed = packStretch(blocks);
  const words = trigrams.of(blocks.map(({ text }) => text));
  return { place, size: packed.size, parts: [packKeys(keys), packed.blocks, packed.text], words };
}

/** Bytes and words of all rows travel in one array each, with their places: the driver would write an array of bytes as hex. */
async function insertRows(query: Query, key: Buffer, rows: readonly StretchToAdd[]): Promise<void> {
  const bytes: Uint8Array[] = [];
  const [starts, ends]: [number[], number[]] = [[], []];
  let length = 0;
  const places = rows.map(({ parts }) =>
    parts.map((part) => {
      bytes.push(part);
      length += part.length;
      return { start: length - part.length + 1, size: part.length };
    }),
  );
  const words = rows.flatMap((row) => row.words);
  let end = 0;
  for (const row of rows) {
    starts.push(end + 1);
    ends.push((end += row.words.length));
  }
  const column = (part: number): number[][] => [
    places.map((of) => of[part]?.start ?? 0),
    places.map((of) => of[part]?.size ?? 0),
  ];
  await query(
    `INSERT INTO loom.stretches (log, place, size, keys, blocks, text, words)
     SELECT $1, r.place, r.size, substring($4::bytea FROM r.k FOR r.kn), substring($4::bytea FROM r.b FOR r.bn),
       substring($4::bytea FROM r.t FOR r.tn), ($5::smallint[])[r.w:r.wn]
     FROM unnest($2::integer[], $3::integer[], $6::integer[], $7::integer[], $8::integer[], $9::integer[], $10::integer[],
       $11::integer[], $12::integer[], $13::integer[]) AS r (place, size, k, kn, b, bn, t, tn, w, wn)`,
    [
      key,
      rows.map(({ place }) => place),
      rows.map(({ size }) => size),
      Buffer.concat(bytes),
      words,
      ...column(0),
      ...column(1),
      ...column(2),
      starts,
      ends,
    ],
  );
}

const trigrams = new SmallTrigrams();
const rowsAtOnce = 16;
