import type { Database } from './database.ts';

/** The room that each part of a store takes in the database, with its indexes, in bytes. */
export async function measureSizes(database: Database): Promise<{ part: string; bytes: number }[]> {
  const rows = await database.rows<{ name: string; bytes: number }>(
    `SELECT c.relname::text AS name, pg_total_relation_size(c.oid)::double precision AS bytes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
    [database.schema],
  );
  const measured = new Map<string, number>(parts.map(([part]) => [part, 0]));
  for (const { name, bytes } of rows) {
    const part = parts.find(([, tables]) => tables.includes(name))?.[0] ?? 'other';
    measured.set(part, (measured.get(part) ?? 0) + bytes);
  }
  return [...measured].map(([part, bytes]) => ({ part, bytes }));
}

const parts: readonly (readonly [part: string, tables: readonly string[]])[] = [
  ['conversations', ['logs', 'records', 'heads']],
  ['files', ['blobs', 'pieces', 'uploads', 'spools']],
  ['search index', ['search_logs', 'stretches']],
  ['snapshots', ['projections', 'parts']],
  ['other', []],
];
