import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DamagedIndex } from '../../search/damaged-index.ts';
import { Stretch } from '../../search/stretch.ts';
import { bytesOf, numberOf } from './row-values.ts';

/**
 * Stretches that were unpacked, for the next search: unpacking takes several times as long as searching. A row never changes, and its
 * number is never used again. A full cache keeps nothing more: evicting the oldest would leave nothing useful for a search that goes
 * through everything again.
 */
export class StretchCache {
  readonly #limit: number;
  readonly #row: StatementSync;
  readonly #stretches = new Map<number, Stretch>();
  #bytes = 0;

  /** Keeps about so many bytes. */
  constructor(database: DatabaseSync, limit: number) {
    this.#limit = limit;
    this.#row = database.prepare('SELECT size, blocks, text FROM stretches WHERE id = ?');
  }

  get(id: number, root: string): Stretch {
    const known = this.#stretches.get(id);
    if (known !== undefined) return known;
    const row = this.#row.get(id);
    if (row === undefined) throw new DamagedIndex('a stretch is missing');
    const stretch = new Stretch(
      { id, size: numberOf(row['size']), blocks: bytesOf(row['blocks']), text: bytesOf(row['text']) },
      root,
    );
    if (this.#bytes + stretch.bytes <= this.#limit) {
      this.#stretches.set(id, stretch);
      this.#bytes += stretch.bytes;
    }
    return stretch;
  }

  clear(): void {
    this.#stretches.clear();
    this.#bytes = 0;
  }
}
