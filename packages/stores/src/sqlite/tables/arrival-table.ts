import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { numberOf } from './read-row.ts';

/** The number of arrivals that wait before they are put among the others: some milliseconds of work. */
const arrivalsAtOnce = 1000;

/**
 * Records of many writers, in the order in which they came. Each of them would touch a page of `records`, and a commit writes every
 * page that it touches as a whole; here they share a few, and their places are looked for by the thousand.
 */
export class ArrivalTable {
  readonly #put: StatementSync;
  readonly #move: StatementSync;
  readonly #count: StatementSync;
  readonly #clear: StatementSync;
  readonly #clearMoved: StatementSync;
  readonly #drop: StatementSync;
  /** The number of waiting arrivals, as far as this connection knows. */
  #waiting = 0;

  constructor(database: DatabaseSync) {
    this.#put = database.prepare('INSERT INTO arrivals (id, text) VALUES ((? << 32) | ?, ?)');
    this.#move = database.prepare('INSERT OR IGNORE INTO records (id, text) SELECT id, text FROM arrivals ORDER BY id');
    this.#count = database.prepare('SELECT count(*) AS count FROM arrivals');
    this.#clear = database.prepare('DELETE FROM arrivals');
    this.#clearMoved = database.prepare(
      'DELETE FROM arrivals WHERE EXISTS (SELECT 1 FROM records WHERE records.id = arrivals.id AND records.text IS arrivals.text)',
    );
    this.#drop = database.prepare('DELETE FROM arrivals WHERE id >> 32 = ?');
  }

  /** Must be called when others may have written since, or after a rollback. */
  recall(): void {
    this.#waiting = Math.max(this.#waiting, 1);
  }

  put(log: number, seq: number, text: string): void {
    this.#waiting = Number(this.#put.run(log, seq, text).lastInsertRowid);
  }

  drop(log: number): void {
    this.#drop.run(log);
  }

  /** Puts them in their places, during a rush only if they are many. */
  sort(isRush: boolean): void {
    if (this.#waiting < (isRush ? arrivalsAtOnce : 1)) return;
    this.#waiting = 0;
    const count = numberOf(this.#count.get()?.['count']);
    if (count === 0) return;
    // A record whose place is taken is damage to its log. It stays, so that the reader of that log reports it, and is in no other log's way.
    if (this.#move.run().changes === count) this.#clear.run();
    else this.#clearMoved.run();
  }
}
