import { headSchema } from './head-tables.ts';
import { projectionSchema } from './projection-tables.ts';

/** The latest that this version knows. A higher number means a database that only a newer Loom understands. */
export const format = 7;
/** The format of a new database, to which an older one is upgraded when it is opened. Later formats come with the first write that needs them. */
export const openedFormat = 6;
/** The first format with a table for arrivals, as there was in formats 4 and 5. */
export const arrivalsFormat = 7;

const arrivalsSchema = `
  CREATE TABLE arrivals (place INTEGER PRIMARY KEY, id INTEGER NOT NULL, text TEXT NOT NULL) STRICT;
`;

/** Makes a database of the latest format out of an opened one. */
export const secondStep = `${arrivalsSchema} PRAGMA user_version = ${format};`;

/**
 * A record's id is its log's id and its seq in one number: records of a log lie side by side in one tree. Measured against a
 * separate index: reading is twice to five times as fast, files are equally large; WITHOUT ROWID needs up to three times the text.
 * A record of several changes has the seq of the last, says which was the first, and is compressed.
 */
export const schema = `
  CREATE TABLE logs (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, epoch TEXT NOT NULL, last_seq INTEGER NOT NULL) STRICT;
  CREATE TABLE records (id INTEGER PRIMARY KEY, text TEXT, first INTEGER, packed BLOB) STRICT;
  CREATE TABLE leases (key TEXT PRIMARY KEY, holder TEXT NOT NULL, until REAL NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE client_ids (last INTEGER NOT NULL) STRICT;
  INSERT INTO client_ids VALUES (1);
  ${projectionSchema}
  ${headSchema}
`;

/** The statements that upgrade a database to each format, up to the opened one, from the format before. */
export const migrations: ReadonlyMap<number, string> = new Map([
  [
    2,
    `CREATE TABLE records_2 (id INTEGER PRIMARY KEY, text TEXT, first INTEGER, packed BLOB) STRICT;
     INSERT INTO records_2 (id, text) SELECT id, text FROM records ORDER BY id;
     DROP TABLE records;
     ALTER TABLE records_2 RENAME TO records;`,
  ],
  [3, projectionSchema],
  // Formats 4 and 5 kept the latest records of many writers apart, in the order in which they came.
  [4, arrivalsSchema],
  [5, headSchema],
  // A record that is among the others already is damage: its log has a gap, which its reader reports. It is in no other log's way.
  [
    6,
    `INSERT OR IGNORE INTO records (id, text) SELECT id, text FROM arrivals ORDER BY id;
     DROP TABLE arrivals;`,
  ],
]);

/** A query for the records that meet a condition, wherever a database of some format has them. */
export function recordsWhere(condition: string, databaseFormat: number, database = 'main'): string {
  const columns = databaseFormat === 1 ? 'id, text, NULL AS first, NULL AS packed' : 'id, text, first, packed';
  const records = `SELECT ${columns} FROM ${database}.records WHERE ${condition}`;
  if (databaseFormat < 4 || databaseFormat === openedFormat) return records;
  return `${records} UNION ALL SELECT id, text, NULL, NULL FROM ${database}.arrivals WHERE ${condition}`;
}
