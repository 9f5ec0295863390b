import type { DatabaseSync, SQLOutputValue, StatementSync } from 'node:sqlite';
import type { HeadsRequest, ListedLog, LogHead } from '@loom/kernel/store';
import { packText, unpackText } from '../../packed-text.ts';

/**
 * The table of heads, apart from `logs`, whose rows every append changes: with heads among them it would touch a page for each few logs.
 * The text has a checksum with it.
 */
export const headSchema = `
  CREATE TABLE heads (log INTEGER PRIMARY KEY, time REAL NOT NULL, packed BLOB NOT NULL) STRICT;
  CREATE INDEX heads_by_time ON heads (time);
`;

/** The statements about heads of one connection. Each method is called inside a transaction. */
export class HeadTables {
  readonly #put: StatementSync;
  readonly #drop: StatementSync;
  readonly #byName: StatementSync;
  readonly #newest: StatementSync;
  readonly #without: StatementSync;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare(
      'INSERT INTO heads (log, time, packed) VALUES (?1, ?2, ?3) ON CONFLICT (log) DO UPDATE SET time = ?2, packed = ?3',
    );
    this.#drop = database.prepare('DELETE FROM heads WHERE log = ?');
    this.#byName = database.prepare(
      'SELECT name, time, packed FROM logs LEFT JOIN heads ON log = id WHERE name > ? ORDER BY name LIMIT ?',
    );
    this.#newest = database.prepare(
      `SELECT name, time, packed FROM heads JOIN logs ON id = log WHERE time <= ?1 AND (time < ?1 OR name > ?2)
       ORDER BY time DESC, name LIMIT ?3`,
    );
    this.#without = database.prepare(
      'SELECT name FROM logs WHERE name > ? AND id NOT IN (SELECT log FROM heads) ORDER BY name LIMIT ?',
    );
  }

  put(log: number, { time, text }: LogHead): void {
    this.#put.run(log, time, packText(text));
  }

  drop(log: number): void {
    this.#drop.run(log);
  }

  page({ order, limit, after }: HeadsRequest): ListedLog[] {
    if (order === 'name') return this.#byName.all(after?.log ?? '', limit).map(readListed);
    const isBehindHeads = after !== undefined && after.time === undefined;
    if (isBehindHeads) return this.#without.all(after.log, limit).map(readListed);
    const dated = this.#newest.all(after?.time ?? Infinity, after?.log ?? '', limit).map(readListed);
    return dated.length === limit ? dated : [...dated, ...this.#without.all('', limit - dated.length).map(readListed)];
  }
}

/** A head that is damaged is as good as none: it is made again from the records. */
function readListed({ name, time, packed }: Record<string, SQLOutputValue>): ListedLog {
  const log = String(name);
  if (typeof time !== 'number' || !(packed instanceof Uint8Array)) return { log };
  try {
    return { log, head: { time, text: unpackText(packed) } };
  } catch {
    return { log };
  }
}
