import type { DatabaseSync } from 'node:sqlite';
import { OnceTable } from './once-table.ts';

/** A key that no caller of a store uses: theirs name what they keep, then a slash. */
const key = 'sqlite: pages to erase';

/**
 * The mark of a database whose free pages, or write-ahead log, may hold records that were replaced for good. It is written with the
 * replacement and taken away once they are erased, so that a process that was killed in between is followed by one that erases them.
 */
export class SheddingMark {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** Inside the transaction that replaces records. */
  set(): void {
    new OnceTable(this.#database).put(key, '', 0, Number.MAX_SAFE_INTEGER);
  }

  get isSet(): boolean {
    if (!this.#hasTable()) return false;
    return this.#database.prepare('SELECT 1 FROM once WHERE key = ?').get(key) !== undefined;
  }

  clear(): void {
    if (this.#hasTable()) this.#database.prepare('DELETE FROM once WHERE key = ?').run(key);
  }

  #hasTable(): boolean {
    return this.#database.prepare("SELECT 1 FROM sqlite_schema WHERE name = 'once'").get() !== undefined;
  }
}
