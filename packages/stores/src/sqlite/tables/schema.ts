import { headSchema } from './head-tables.ts';
import { projectionSchema } from './projection-tables.ts';

/** What this version writes. A higher number means a database that only a newer Loom understands. */
export const format = 5;

// Many writers at once would touch a page of `records` each, and every page that a commit touches is written whole. It has no index,
// which would cost them half of what they win: there are never many, and mostly none.
const arrivalsSchema = `
  CREATE TABLE arrivals (place INTEGER PRIMARY KEY, id INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
`;

/**
 * A record's id is its log's id and its seq in one number: records of a log lie side by side in one tree. Measured against a
 * separate index: reading is twice to five times as fast, files are equally large; WITHOUT ROWID needs up to three times the text.
 * A record of several changes has the seq of the last, says which was the first, and is compressed. Those of a crowd of
 * writers wait in `arrivals`, in the order in which they came, and are put among the others by the thousand.
 */
export const schema = `
  CREATE TABLE logs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, last_seq INTEGER NOT NULL) STRICT;
  CREATE TABLE records (id INTEGER PRIMARY KEY, text TEXT, first INTEGER, packed BLOB) STRICT;
  CREATE TABLE leases (key TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE client_ids (last INTEGER NOT NULL) STRICT;
  INSERT INTO client_ids VALUES (1);
  ${projectionSchema}
  ${arrivalsSchema}
  ${headSchema}
`;

/** What makes a database of each format out of one of the format before. */
export const migrations: ReadonlyMap<number, string> = new Map([
  [
    2,
    `CREATE TABLE records_2 (id INTEGER PRIMARY KEY, text TEXT, first INTEGER, packed BLOB) STRICT;
     INSERT INTO records_2 (id, text) SELECT id, text FROM records ORDER BY id;
     DROP TABLE records;
     ALTER TABLE records_2 RENAME TO records;`,
  ],
  [3, projectionSchema],
  [4, arrivalsSchema],
  [5, headSchema],
]);

/** A query for the records of a database that meet a condition, wherever they are. */
export function recordsWhere(condition: string, databaseFormat = format): string {
  const sorted = `SELECT id, text, first, packed FROM records WHERE ${condition}`;
  if (databaseFormat < 4) return sorted;
  return `${sorted} UNION ALL SELECT id, text, NULL, NULL FROM arrivals WHERE ${condition}`;
}

/** A query for the lowest id among them. */
export function firstWhere(condition: string): string {
  return `SELECT min(id) FROM (
    SELECT min(id) AS id FROM records WHERE ${condition} UNION ALL SELECT min(id) FROM arrivals WHERE ${condition}
  )`;
}
