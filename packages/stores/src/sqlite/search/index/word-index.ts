import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { ChunkTexts } from './chunk-texts.ts';
import { numberOf, textOf } from '../row-values.ts';
import type { Row } from '../row-values.ts';
import type { SnapshotReader } from '../snapshot-reader.ts';
import { TrigramWords } from './trigrams.ts';

/** Enters chunks into the trigram index, some at a time. */
export class WordIndex {
  readonly #database: DatabaseSync;
  readonly #reader: SnapshotReader;
  readonly #waiting: StatementSync;
  readonly #next: StatementSync;
  readonly #insert: StatementSync;
  readonly #done: StatementSync;
  readonly #words = new TrigramWords();

  constructor(database: DatabaseSync, reader: SnapshotReader) {
    this.#database = database;
    this.#reader = reader;
    this.#waiting = database.prepare(
      `SELECT c.id, c.key, c.kinds, c.blocks, c.ranks, c.about, c.other, l.name, l.epoch, l.seq FROM chunks c JOIN logs l ON l.id = c.log
       WHERE c.first IS NULL AND c.id > ? ORDER BY c.id LIMIT 16`,
    );
    this.#next = database.prepare(
      'SELECT ifnull((SELECT first + stretches FROM chunks WHERE first IS NOT NULL ORDER BY first DESC LIMIT 1), 1) AS next',
    );
    this.#insert = database.prepare('INSERT INTO trigrams (rowid, words) VALUES (?, ?)');
    this.#done = database.prepare('UPDATE chunks SET first = ?, stretches = ? WHERE id = ?');
  }

  /** Works for about so many milliseconds. The answer is whether there is nothing more to enter just now. */
  addSome(milliseconds: number): boolean {
    const deadline = performance.now() + milliseconds;
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const isDone = this.#reader.reading(() => this.#addUntil(deadline));
      this.#database.exec('COMMIT');
      // What was written is moved to its place now, when no search waits for it.
      if (isDone) this.#database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return isDone;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }

  #addUntil(deadline: number): boolean {
    const current = this.#reader.current();
    let last = 0;
    for (;;) {
      const rows = this.#waiting.all(last);
      for (const row of rows) {
        last = numberOf(row['id']);
        const snapshot = current.get(textOf(row['name']));
        // One that has changed meanwhile is read anew by the next search.
        if (snapshot !== undefined && snapshot.epoch === row['epoch'] && snapshot.seq === row['seq']) {
          this.#add(row, snapshot.projection);
        }
        if (performance.now() > deadline) return false;
      }
      if (rows.length === 0) return true;
    }
  }

  #add(row: Row, projection: number): void {
    const chunk = new ChunkTexts(row);
    const texts: string[] = [];
    for (const piece of chunk.pieces) {
      const joined = chunk.textsOf(piece, this.#reader, projection);
      for (const [index, block] of piece.blocks.entries()) texts[block] = joined.block(index);
    }
    const { stretches } = chunk;
    const first = numberOf(this.#next.get()?.['next']);
    for (const [index, { from, to }] of stretches.entries()) {
      this.#insert.run(first + index, this.#words.of(texts.slice(from, to)));
    }
    this.#done.run(first, stretches.length, chunk.id);
  }
}
