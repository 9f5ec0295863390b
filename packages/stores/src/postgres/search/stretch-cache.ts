import { Stretch } from '../../search/stretch.ts';
import type { Database } from '../database.ts';

/**
 * Stretches that were read, for the next search. Rows never change, and their numbers are never used again. A full cache keeps nothing
 * more: evicting the oldest would leave nothing useful for a search that goes through everything again.
 */
export class StretchCache {
  readonly #database: Database;
  readonly #limit: number;
  readonly #kept = new Map<number, Stretch>();
  #bytes = 0;

  /** Keeps about so many bytes. */
  constructor(database: Database, limit: number) {
    this.#database = database;
    this.#limit = limit;
  }

  /** Returns those stretches that are there, by number. */
  async load(wanted: readonly { id: number; root: string }[]): Promise<Map<number, Stretch>> {
    const found = new Map<number, Stretch>();
    const missing = new Map<number, string>();
    for (const { id, root } of wanted) {
      const kept = this.#kept.get(id);
      if (kept === undefined) missing.set(id, root);
      else found.set(id, kept);
    }
    if (missing.size === 0) return found;
    const rows = await this.#database.rows<{ id: number; size: number; blocks: Buffer; text: Buffer }>(
      'SELECT id::double precision AS id, size, blocks, text FROM loom.stretches WHERE id = ANY ($1)',
      [[...missing.keys()]],
    );
    for (const row of rows) {
      const stretch = new Stretch(row, missing.get(row.id) ?? '');
      found.set(row.id, stretch);
      if (this.#bytes + stretch.bytes > this.#limit) continue;
      this.#kept.set(row.id, stretch);
      this.#bytes += stretch.bytes;
    }
    return found;
  }

  clear(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }
}
