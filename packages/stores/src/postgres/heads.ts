import type { HeadsRequest, ListedLog } from '@loom/kernel/store';
import { keyOf, textOfKey } from './bounded-key.ts';
import type { Database } from './database.ts';

/** The names of all logs, sorted by UTF-16 code units. */
export async function listLogs(database: Database): Promise<string[]> {
  const rows = await database.rows<NameRow>('SELECT log, name FROM loom.logs');
  return rows.map(({ log, name }) => textOfKey(log, name)).sort();
}

/** A page of the list of all logs. */
export async function listHeads(database: Database, { order, limit, after }: HeadsRequest): Promise<ListedLog[]> {
  const key = keyOf(after?.log ?? '');
  const list = async (text: string, values: readonly unknown[]): Promise<ListedLog[]> =>
    (await database.rows<HeadRow>(text, values)).map(readListed);
  if (order === 'name') return list(byName, [key, limit]);
  if (after !== undefined && after.time === undefined) return list(without, [key, limit]);
  const dated = await list(newest, [after?.time ?? Infinity, key, limit]);
  return dated.length === limit ? dated : [...dated, ...(await list(without, [Buffer.of(), limit - dated.length]))];
}

type NameRow = { log: Buffer; name: Buffer | null };
type HeadRow = NameRow & { time: number | null; text: Buffer | null };

function readListed({ log: key, name, time, text }: HeadRow): ListedLog {
  const log = textOfKey(key, name);
  return time === null || text === null ? { log } : { log, head: { time, text: text.toString() } };
}

const byName = `
  SELECT l.log, l.name, h.time, h.text FROM loom.logs l LEFT JOIN loom.heads h ON h.log = l.log
  WHERE l.log > $1 ORDER BY l.log LIMIT $2`;
// The first condition finds the place in the index; the second leaves out those of the same time that were listed.
const newest = `
  SELECT l.log, l.name, h.time, h.text FROM loom.heads h JOIN loom.logs l ON l.log = h.log
  WHERE h.time <= $1 AND (h.time < $1 OR h.log > $2) ORDER BY h.time DESC, h.log LIMIT $3`;
const without = `
  SELECT l.log, l.name, NULL AS time, NULL AS text FROM loom.logs l
  WHERE l.log > $1 AND NOT EXISTS (SELECT FROM loom.heads h WHERE h.log = l.log) ORDER BY l.log LIMIT $2`;
