import type { DatabaseSync } from 'node:sqlite';

/**
 * Values that are taken once. The table is made by the first that is put, so that a folder of an older version stays as it is until then;
 * a version that does not know the table leaves it alone.
 */
export class OnceTable {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  put(key: string, value: string, now: number, milliseconds: number): void {
    // Each time: the transaction that made it may have been rolled back.
    this.#database.exec(
      'CREATE TABLE IF NOT EXISTS once (key TEXT PRIMARY KEY, value TEXT NOT NULL, until REAL NOT NULL) STRICT, WITHOUT ROWID',
    );
    this.#database.prepare('DELETE FROM once WHERE until <= ?').run(now);
    this.#database
      .prepare('INSERT OR REPLACE INTO once (key, value, until) VALUES (?, ?, ?)')
      .run(key, value, now + milliseconds);
  }

  take(key: string, now: number): string | undefined {
    if (this.#database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'once'").get() === undefined) return undefined;
    const taken = this.#database.prepare('DELETE FROM once WHERE key = ? RETURNING value, until').get(key);
    const { value, until } = { value: undefined, until: undefined, ...taken };
    return typeof value === 'string' && typeof until === 'number' && until > now ? value : undefined;
  }
}
