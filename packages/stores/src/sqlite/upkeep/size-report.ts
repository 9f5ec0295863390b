import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import { inspectDatabase } from '../database.ts';
import { databaseFailure } from '../failures.ts';
import { recordsWhere } from '../tables/schema.ts';

/** The disk usage of each part of a data directory, in bytes. */
export interface StoreSizes {
  /** The files themselves. */
  files: { database: number; writeAheadLog: number; blobs: number };
  /** The pages of the database by content; together they are its size, but for the changes still in the write-ahead log. */
  pages: {
    /** The changes of all logs. */
    records: number;
    /** Names, ends and heads of logs. */
    logs: number;
    projections: number;
    /** Leases and client ids. */
    coordination: number;
    /** The description of the tables, and the map of the pages. */
    structure: number;
    /** Empty pages, which are used again or given back. */
    free: number;
  };
  /** The stored size of each log; folded records are compressed. */
  logs: { name: string; changes: number; records: number; bytes: number }[];
  /** The same for projections, of all logs together; their parts are compressed. */
  projections: { name: string; parts: number; bytes: number }[];
}

/** Measures a data directory without changing it; others may write to it meanwhile. Looks at every page, so it takes its time. */
export function sizesOf(directory: string): StoreSizes {
  return inspect(directory, (database, format) => ({
    ...measure(directory, database, format),
    logs: database.prepare(logSizes(format)).all().map(readLogSize),
  }));
}

/** The same without the logs, for each of which all its records are looked at once more. */
export function sharesOf(directory: string): Omit<StoreSizes, 'logs'> {
  return inspect(directory, (database, format) => measure(directory, database, format));
}

function inspect<T>(directory: string, look: (database: DatabaseSync, format: number) => T): T {
  try {
    const { database, format } = inspectDatabase(join(directory, 'loom.db'));
    using opened = database;
    opened.exec('BEGIN');
    return look(opened, format);
  } catch (error) {
    throw databaseFailure(error);
  }
}

function measure(directory: string, database: DatabaseSync, format: number): Omit<StoreSizes, 'logs'> {
  const path = join(directory, 'loom.db');
  return {
    files: {
      database: sizeOf(path),
      writeAheadLog: sizeOf(`${path}-wal`),
      blobs: sizeOfAll(join(directory, 'blobs')),
    },
    pages: measurePages(database),
    projections: format < 3 ? [] : database.prepare(projectionSizes).all().map(readProjectionSize),
  };
}

const logSizes = (format: number): string => `
  SELECT name, last_seq AS changes, ifnull(rows, 0) AS rows, ifnull(bytes, 0) AS bytes
  FROM logs LEFT JOIN (
    SELECT id >> 32 AS log, count(*) AS rows, sum(octet_length(ifnull(text, '')) + ifnull(length(packed), 0)) AS bytes
    FROM (${recordsWhere('TRUE', format)}) GROUP BY log
  ) ON log = logs.id ORDER BY name`;

const projectionSizes = `
  SELECT name, count(parts.rowid) AS rows, ifnull(sum(octet_length(key)) + sum(length(packed)), 0) AS bytes
  FROM projections LEFT JOIN parts ON parts.projection = projections.id
  GROUP BY name ORDER BY name`;

type Row = Record<string, SQLOutputValue>;

function readLogSize({ name, changes, rows, bytes }: Row): StoreSizes['logs'][number] {
  return { name: String(name), changes: Number(changes), records: Number(rows), bytes: Number(bytes) };
}

function readProjectionSize({ name, rows, bytes }: Row): StoreSizes['projections'][number] {
  return { name: String(name), parts: Number(rows), bytes: Number(bytes) };
}

function measurePages(database: DatabaseSync): StoreSizes['pages'] {
  const pages = { records: 0, logs: 0, projections: 0, coordination: 0, structure: 0, free: 0 };
  for (const row of database.prepare('SELECT name, pgsize FROM dbstat WHERE aggregate = TRUE').all()) {
    pages[holderOf(String(row['name']))] += Number(row['pgsize']);
  }
  const pragma = (name: string): number => Number(database.prepare(`PRAGMA ${name}`).get()?.[name]);
  const [pageSize, freePages] = [pragma('page_size'), pragma('freelist_count')];
  pages.free = freePages * pageSize;
  // The pages that no table holds are the map used for moving pages.
  const counted = Object.values(pages).reduce((sum, bytes) => sum + bytes, 0);
  pages.structure += pragma('page_count') * pageSize - counted;
  return pages;
}

function holderOf(table: string): keyof StoreSizes['pages'] {
  // An index is named after its table: sqlite_autoindex_parts_1.
  switch (table.replace(/^sqlite_autoindex_(.*)_\d+$/u, '$1')) {
    case 'records':
    case 'arrivals':
      return 'records';
    case 'logs':
    case 'heads':
    case 'heads_by_time':
      return 'logs';
    case 'projections':
    case 'parts':
      return 'projections';
    case 'leases':
    case 'once':
    case 'client_ids':
      return 'coordination';
    default:
      return 'structure';
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function sizeOfAll(directory: string): number {
  if (statSync(directory, { throwIfNoEntry: false })?.isDirectory() !== true) return 0;
  return readdirSync(directory).reduce((sum, name) => sum + sizeOf(join(directory, name)), 0);
}
