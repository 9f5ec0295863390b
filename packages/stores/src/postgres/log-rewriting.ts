import { randomUUID } from 'node:crypto';
import type { LogRewrite } from '@loom/kernel/store';
import { keyOf } from './bounded-key.ts';
import type { Database } from './database.ts';
import { PackedTexts } from './packed-bytes.ts';

/** Puts other records in the place of those of some logs, of all or of none. Returns false if one of them is another than its rewriter knows. */
export async function rewriteLogs(
  database: Database,
  rewrites: readonly LogRewrite[],
  oldestFormat: number,
): Promise<boolean> {
  const isDone = await database.transaction(async (query) => {
    const keys = rewrites.map(({ log }) => keyOf(log));
    const rows = await query(
      `SELECT l.log, l.epoch, l.last_seq::double precision AS last_seq FROM loom.logs l WHERE l.log = ANY ($1)
       ORDER BY l.log FOR UPDATE`,
      [keys],
    );
    const ends = new Map(rows.map((row) => [hexOf(row['log']), row]));
    const isKnown = rewrites.every(({ epoch, lastSeq }, index) => {
      const end = ends.get(hexOf(keys[index]));
      return end?.['epoch'] === epoch && end['last_seq'] === lastSeq;
    });
    if (!isKnown) return false;
    for (const table of ['heads', 'projections', 'parts', 'search_logs', 'records']) {
      await query(`DELETE FROM loom.${table} WHERE log = ANY ($1)`, [keys]);
    }
    for (const [index, { records, format }] of rewrites.entries()) {
      const key = keys[index];
      await query('UPDATE loom.logs SET epoch = $2, format = greatest(format, $3) WHERE log = $1', [
        key,
        randomUUID(),
        format ?? oldestFormat,
      ]);
      let last = 0;
      for (let from = 0; from < records.length; from += rowsAtOnce) {
        const part = records.slice(from, from + rowsAtOnce);
        const texts = new PackedTexts();
        const firsts: number[] = [];
        for (const { seq, text } of part) {
          texts.add(text);
          firsts.push(last + 1);
          last = seq;
        }
        await query(
          `INSERT INTO loom.records (log, seq, first, text)
           SELECT $1, r.seq, r.first, substring($6::bytea FROM r.start FOR r.size)
           FROM unnest($2::bigint[], $3::bigint[], $4::integer[], $5::integer[]) AS r (seq, first, start, size)`,
          [key, part.map(({ seq }) => seq), firsts, texts.starts, texts.sizes, texts.bytes],
        );
      }
    }
    return true;
  });
  // The old rows are no longer seen by anyone, but their bytes are in the pages until they are cleaned. Another user's tables are left to autovacuum.
  if (isDone) await database.run('VACUUM loom.records, loom.heads, loom.parts, loom.stretches').catch(() => {});
  return isDone;
}

function hexOf(key: unknown): string {
  return Buffer.isBuffer(key) ? key.toString('hex') : '';
}

const rowsAtOnce = 1000;
