import { randomUUID } from 'node:crypto';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LogRewrite } from '@loom/kernel/store';
import { packText } from '../../packed-text.ts';
import { numberOf } from './read-row.ts';
import type { RecordTables } from './record-tables.ts';
import { SheddingMark } from './shedding-mark.ts';

/** The statements that put other records in the place of all those of a log. Made when they are needed, which is hardly ever. */
export class RewriteTables {
  readonly #records: RecordTables;
  readonly #find: StatementSync;
  readonly #insert: StatementSync;
  readonly #dropParts: StatementSync;
  readonly #dropProjections: StatementSync;
  readonly #dropHead: StatementSync;
  readonly #renew: StatementSync;
  readonly #mark: SheddingMark;

  constructor(database: DatabaseSync, records: RecordTables) {
    this.#records = records;
    this.#mark = new SheddingMark(database);
    this.#find = database.prepare('SELECT id, epoch, last_seq FROM logs WHERE name = ?');
    this.#insert = database.prepare('INSERT INTO records (id, first, packed) VALUES ((?1 << 32) | ?2, ?3, ?4)');
    this.#dropParts = database.prepare(
      'DELETE FROM parts WHERE projection IN (SELECT id FROM projections WHERE log = ?)',
    );
    this.#dropProjections = database.prepare('DELETE FROM projections WHERE log = ?');
    this.#dropHead = database.prepare('DELETE FROM heads WHERE log = ?');
    this.#renew = database.prepare('UPDATE logs SET epoch = ? WHERE id = ?');
  }

  /** Rewrites all logs, inside a transaction; or none, and returns the first that is another one than its rewriter knows. */
  rewrite(rewrites: readonly LogRewrite[]): LogRewrite | undefined {
    const ids = rewrites.map((rewrite) => this.#idOf(rewrite));
    const changed = ids.indexOf(undefined);
    if (changed !== -1) return rewrites[changed];
    for (const [index, { records, format }] of rewrites.entries()) {
      const id = ids[index] ?? 0;
      this.#records.dropAll(id);
      let last = 0;
      for (const { seq, text } of records) {
        this.#insert.run(id, seq, last + 1, packText(text));
        last = seq;
      }
      for (const drop of [this.#dropParts, this.#dropProjections, this.#dropHead]) drop.run(id);
      this.#renew.run(randomUUID(), id);
      this.#records.mark(format);
    }
    this.#mark.set();
    return undefined;
  }

  #idOf({ log, epoch, lastSeq }: LogRewrite): number | undefined {
    const row = this.#find.get(log);
    return row?.['epoch'] === epoch && row['last_seq'] === lastSeq ? numberOf(row['id']) : undefined;
  }
}
