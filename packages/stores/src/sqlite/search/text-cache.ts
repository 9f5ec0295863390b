import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ChunkTexts } from './index/chunk-texts.ts';
import type { PlannedRoot } from './search-message.ts';

/** The chunks of a root as of one snapshot. */
export interface RootTexts {
  epoch: string;
  seq: number;
  chunks: readonly ChunkTexts[];
}

/**
 * Texts that were unpacked, for the next search: unpacking takes several times as long as searching. A snapshot never changes, so what
 * is known under its epoch and seq holds. When it is full nothing more is kept: to put out what came first would leave nothing useful
 * for a search that goes through everything again.
 */
export class TextCache {
  readonly #limit: number;
  readonly #log: StatementSync;
  readonly #chunks: StatementSync;
  readonly #roots = new Map<number, { texts: RootTexts; bytes: number }>();
  #bytes = 0;

  /** Keeps about so many bytes. */
  constructor(database: DatabaseSync, limit: number) {
    this.#limit = limit;
    this.#log = database.prepare('SELECT epoch, seq FROM logs WHERE id = ?');
    this.#chunks = database.prepare(
      'SELECT id, key, kinds, blocks, ranks, about, other FROM chunks WHERE log = ? ORDER BY key',
    );
  }

  /** The texts of a root as of the seq that was planned, or `undefined` if the index knows another one by now. */
  root({ log, epoch, seq }: PlannedRoot): RootTexts | undefined {
    const known = this.#roots.get(log);
    if (known?.texts.epoch === epoch && known.texts.seq === seq) return known.texts;
    if (known !== undefined) {
      this.#roots.delete(log);
      this.#bytes -= known.bytes;
    }
    const row = this.#log.get(log);
    if (row?.['epoch'] !== epoch || row['seq'] !== seq) return undefined;
    const texts = { epoch, seq, chunks: this.#chunks.all(log).map((row) => new ChunkTexts(row)) };
    const bytes = texts.chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
    if (this.#bytes + bytes <= this.#limit) {
      this.#roots.set(log, { texts, bytes });
      this.#bytes += bytes;
    }
    return texts;
  }

  clear(): void {
    this.#roots.clear();
    this.#bytes = 0;
  }
}
