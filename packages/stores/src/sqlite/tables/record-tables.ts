import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { LogRecord, NewRecord } from '@loom/kernel/store';
import { highestSeq } from '../../append-verdict.ts';
import { ArrivalTable } from './arrival-table.ts';
import { packText, unpackText } from '../../packed-text.ts';
import type { Row } from './read-row.ts';
import { damaged, numberOf, textOf } from './read-row.ts';
import { arrivalsFormat, recordsWhere, secondStep } from './schema.ts';

/** A longer text is compressed at once: it takes less time to pack than to write. */
const longestPlain = 2000;
/** The number of records that every Loom of the first step reads; see `AppendRequest.format`. */
const oldestRecords = 2;
/** The most records of one log among the arrivals: more lie side by side anyway. */
const mostArriving = 4;

/** A record, and the first change that it holds. */
export interface SpannedRecord extends LogRecord {
  first: number;
}

/** The statements about records of one connection. Each method is called inside a transaction. */
export class RecordTables {
  readonly #database: DatabaseSync;
  readonly #format: StatementSync;
  readonly #insert: StatementSync;
  readonly #pack: StatementSync;
  readonly #spans: StatementSync;
  readonly #drop: StatementSync;
  readonly #shrink: StatementSync;
  #reading: ReadingStatements | undefined;
  #arrivals: ArrivalTable | undefined;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#format = database.prepare('PRAGMA user_version');
    this.#insert = database.prepare('INSERT INTO records (id, text) VALUES ((? << 32) | ?, ?)');
    this.#pack = database.prepare('INSERT INTO records (id, first, packed) VALUES ((? << 32) | ?, ?, ?)');
    const span = 'id >= ((?1 << 32) | ?2) AND id <= ((?1 << 32) | ?3)';
    this.#spans = database.prepare(`SELECT id & 0xffffffff AS seq, first FROM records WHERE ${span} ORDER BY id`);
    this.#drop = database.prepare(`DELETE FROM records WHERE ${span}`);
    this.#shrink = database.prepare('PRAGMA incremental_vacuum(1000)');
  }

  /** Must be called when others may have written since: they may have left arrivals, or made the table for them. */
  recall(): void {
    const format = numberOf(this.#format.get()?.['user_version']);
    if (format !== this.#reading?.format) {
      this.#reading = prepareReading(this.#database, format);
      this.#arrivals = format < arrivalsFormat ? undefined : new ArrivalTable(this.#database);
    }
    this.#arrivals?.recall();
  }

  /** Puts records of a log; those of a crowd of writers wait together for their places. */
  put(log: number, records: readonly NewRecord[], isCrowd: boolean): void {
    const isArrival = isCrowd && records.length <= mostArriving;
    for (const { seq, first = seq, text } of records) {
      if (text.length > longestPlain || first < seq) this.#pack.run(log, seq, first, packText(text));
      else if (isArrival) this.#arrivalTable().put(log, seq, text);
      else this.#insert.run(log, seq, text);
    }
  }

  /** Must be called at the end of a transaction's writes: puts arrivals in their places, unless the rush goes on. */
  sortArrivals(isCrowd: boolean): void {
    this.#arrivals?.sort(isCrowd);
  }

  /** The records of a log between two seqs, but no more than `rows` of them. The first may have begun before. */
  between(log: number, afterSeq: number, throughSeq: number, rows: number): SpannedRecord[] {
    return this.#prepared()
      .between.all(log, afterSeq, throughSeq, rows)
      .map((row) => ({ first: firstOf(row), seq: numberOf(row['seq']), text: recordText(row) }));
  }

  hasBeyond(log: number, seq: number): boolean {
    return this.#prepared().beyond.get(log, seq) !== undefined;
  }

  /** Puts one packed record in the place of those from the first to the last change, if there are such. */
  fold(log: number, first: number, last: number, packed: Uint8Array): boolean {
    this.#arrivals?.sort(false);
    const spans = this.#spans.all(log, first, last);
    const [start, end] = [spans[0], spans.at(-1)];
    if (start === undefined || numberOf(end?.['seq']) !== last || firstOf(start) !== first) return false;
    this.#drop.run(log, first, last);
    this.#pack.run(log, last, first, packed);
    this.#shrink.all();
    return true;
  }

  /** Drops all records of a log. */
  dropAll(log: number): void {
    this.#drop.run(log, 0, highestSeq);
    this.#arrivals?.drop(log);
  }

  /** Makes older versions refuse the database from this transaction on, if they could not read records of a number. */
  mark(recordFormat: number | undefined): void {
    if (recordFormat !== undefined && recordFormat > oldestRecords) this.#arrivalTable();
  }

  #arrivalTable(): ArrivalTable {
    if (this.#arrivals === undefined) {
      this.#database.exec(secondStep);
      this.recall();
    }
    if (this.#arrivals === undefined) throw damaged('it has no table for arrivals');
    return this.#arrivals;
  }

  #prepared(): ReadingStatements {
    if (this.#reading === undefined) this.recall();
    if (this.#reading === undefined) throw damaged('it has no format');
    return this.#reading;
  }
}

/** The statements that depend on the format. */
interface ReadingStatements {
  format: number;
  between: StatementSync;
  beyond: StatementSync;
}

function prepareReading(database: DatabaseSync, format: number): ReadingStatements {
  const from = (condition: string): string => `FROM (${recordsWhere(condition, format)})`;
  const inLog = 'id < (?1 + 1) << 32';
  return {
    format,
    between: database.prepare(
      `SELECT id & 0xffffffff AS seq, text, first, packed ${from(
        `id > ((?1 << 32) | ?2) AND ${inLog} AND id <= ifnull(
           (SELECT id ${from(`id >= ((?1 << 32) | ?3) AND ${inLog}`)} ORDER BY id LIMIT 1), (?1 + 1) << 32)`,
      )} ORDER BY id LIMIT ?4`,
    ),
    beyond: database.prepare(`SELECT 1 ${from(`id > ((?1 << 32) | ?2) AND ${inLog}`)} LIMIT 1`),
  };
}

function firstOf({ first, seq }: Row): number {
  return numberOf(first ?? seq);
}

function recordText({ text, packed }: Row): string {
  if (!(packed instanceof Uint8Array)) return textOf(text);
  try {
    return unpackText(packed);
  } catch (error) {
    throw damaged(`a record cannot be unpacked: ${error instanceof Error ? error.message : String(error)}`);
  }
}
