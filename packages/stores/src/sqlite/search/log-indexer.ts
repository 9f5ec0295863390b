import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { Forest } from '@loom/kernel/logs';
import { searchableBlocks } from '@loom/kernel/search';
import type { SearchableBlock } from '@loom/kernel/search';
import { StoreError } from '@loom/kernel/store';
import type { LogPosition, LogPositions } from './log-positions.ts';
import { bytesOf, numberOf, textOf } from './row-values.ts';
import { keyOfBlock, packKeys, packStretch, unpackKeys } from '../../search/stretch.ts';
import { planStretches } from '../../search/stretches.ts';
import type { KnownStretch } from '../../search/stretches.ts';
import { TrigramWords } from '../../search/trigrams.ts';

/** Brings conversations into the index, as their logs have them. */
export class LogIndexer {
  readonly #database: DatabaseSync;
  readonly #positions: LogPositions;
  readonly #forest: Forest;
  readonly #words = new TrigramWords();
  readonly #statements: Statements;
  /** Logs that cannot be read, and where that was. */
  readonly #unreadable = new Map<string, string>();

  constructor(database: DatabaseSync, positions: LogPositions, forest: Forest) {
    this.#database = database;
    this.#positions = positions;
    this.#forest = forest;
    this.#statements = prepare(database);
  }

  /** Works for about so many milliseconds, at least on one log; first on those that are named. Returns true if nothing is left to do. */
  async addSome(milliseconds: number, first: readonly string[] = []): Promise<boolean> {
    const deadline = performance.now() + milliseconds;
    const stale = this.#stale();
    const wanted = new Set(first);
    // The newest are asked for first.
    const ordered = [
      ...stale.filter((name) => wanted.has(name)),
      ...stale.filter((name) => !wanted.has(name)).reverse(),
    ];
    for (const name of ordered) {
      await this.#add(name);
      if (performance.now() > deadline) return false;
    }
    // A checkpoint moves the new pages into the file now, while no search waits for it.
    if (stale.length > 0) this.#database.exec('PRAGMA wal_checkpoint(PASSIVE)');
    return true;
  }

  #stale(): string[] {
    const current = this.#positions.current();
    const known = new Map(this.#statements.logs.all().map((row) => [textOf(row['name']), row]));
    const lost = [...known.keys()].filter((name) => !current.has(name));
    if (lost.length > 0) this.#writing(() => lost.forEach((name) => this.#forget(name)));
    return [...current].flatMap(([name, position]) => {
      const row = known.get(name);
      const isKnown = row?.['epoch'] === position.epoch && row['seq'] === position.seq;
      return isKnown || this.#unreadable.get(name) === placeOf(position) ? [] : [name];
    });
  }

  async #add(name: string): Promise<void> {
    const read = await this.#read(name);
    if (read === undefined) return;
    this.#writing(() => this.#write(name, read));
  }

  /** `undefined` if the log cannot be read. */
  async #read(name: string): Promise<ReadLog | undefined> {
    const log = this.#forest.log(name);
    try {
      // The state in memory may be older than what was just written.
      const wanted = this.#positions.current().get(name);
      const known = log.loaded?.seq;
      if (known !== undefined && known !== wanted?.seq) await log.release();
      const { cursor, value } = await log.read((state) => [...searchableBlocks(state)]);
      return { ...cursor, blocks: value };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      const position = this.#positions.current().get(name);
      if (position !== undefined) this.#unreadable.set(name, placeOf(position));
      return undefined;
    }
  }

  #write(name: string, { epoch, seq, blocks }: ReadLog): void {
    const { logs, setLog, stretches, insert, insertWords, setPlace } = this.#statements;
    const size = blocks.reduce((sum, { text }) => sum + text.length, 0);
    const before = logs.all().find((row) => row['name'] === name);
    // Another process may have been faster.
    if (before?.['epoch'] === epoch && numberOf(before['seq']) >= seq) return;
    const log = numberOf(setLog.get(name, epoch, seq, size)?.['id']);
    const rows = stretches.all(log).map((row) => ({ id: numberOf(row['id']), place: numberOf(row['place']), row }));
    const known = rows.map(({ id, row }): KnownStretch => ({ id, keys: unpackKeys(bytesOf(row['keys'])) }));
    const keys = blocks.map(keyOfBlock);
    const planned = planStretches(
      known,
      blocks.map(({ text }, index) => ({ key: keys[index] ?? '', length: text.length })),
    );
    const kept = new Set(planned.flatMap((stretch) => (stretch.type === 'kept' ? [stretch.id] : [])));
    for (const { id } of rows) if (!kept.has(id)) this.#drop(id);
    const places = new Map(rows.map(({ id, place }) => [id, place]));
    for (const [place, stretch] of planned.entries()) {
      if (stretch.type === 'kept') {
        if (places.get(stretch.id) !== place) setPlace.run(place, stretch.id);
        continue;
      }
      const { from, to } = stretch;
      const part = blocks.slice(from, to);
      const packed = packStretch(part);
      const added = insert.get(log, place, packed.size, packKeys(keys.slice(from, to)), packed.blocks, packed.text);
      insertWords.run(numberOf(added?.['id']), this.#words.of(part.map(({ text }) => text)));
    }
  }

  #forget(name: string): void {
    const { logs, stretches, dropLog } = this.#statements;
    const id = logs.all().find((row) => row['name'] === name)?.['id'];
    if (id === undefined) return;
    for (const row of stretches.all(id)) this.#drop(numberOf(row['id']));
    dropLog.run(id);
  }

  #drop(id: number): void {
    this.#statements.drop.run(id);
    this.#statements.dropWords.run(id);
  }

  #writing(work: () => void): void {
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      work();
      this.#database.exec('COMMIT');
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw error;
    }
  }
}

interface ReadLog extends LogPosition {
  blocks: SearchableBlock[];
}

type Statements = Record<
  'logs' | 'setLog' | 'dropLog' | 'stretches' | 'insert' | 'insertWords' | 'setPlace' | 'drop' | 'dropWords',
  StatementSync
>;

function prepare(database: DatabaseSync): Statements {
  return {
    logs: database.prepare('SELECT id, name, epoch, seq FROM logs'),
    setLog: database.prepare(
      `INSERT INTO logs (name, epoch, seq, size) VALUES (?1, ?2, ?3, ?4)
       ON CONFLICT (name) DO UPDATE SET epoch = ?2, seq = ?3, size = ?4 RETURNING id`,
    ),
    dropLog: database.prepare('DELETE FROM logs WHERE id = ?'),
    stretches: database.prepare('SELECT id, place, keys FROM stretches WHERE log = ? ORDER BY place'),
    insert: database.prepare(
      'INSERT INTO stretches (log, place, size, keys, blocks, text) VALUES (?, ?, ?, ?, ?, ?) RETURNING id',
    ),
    insertWords: database.prepare('INSERT INTO trigrams (rowid, words) VALUES (?, ?)'),
    setPlace: database.prepare('UPDATE stretches SET place = ? WHERE id = ?'),
    drop: database.prepare('DELETE FROM stretches WHERE id = ?'),
    dropWords: database.prepare('DELETE FROM trigrams WHERE rowid = ?'),
  };
}

function placeOf({ epoch, seq }: LogPosition): string {
  return `${seq} ${epoch}`;
}
