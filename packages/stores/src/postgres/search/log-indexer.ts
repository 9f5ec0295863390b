import type { Forest } from '@loom/kernel/logs';
import { searchableBlocks } from '@loom/kernel/search';
import type { SearchableBlock } from '@loom/kernel/search';
import { StoreError } from '@loom/kernel/store';
import { keyOf, keyRange, textOfKey } from '../bounded-key.ts';
import type { Database } from '../database.ts';
import { enterLog } from './entered-log.ts';
import { mostNamed } from './search-planner.ts';

export interface LogIndexerParts {
  database: Database;
  forest: Forest;
  /** Tells the store of the forest that a log has changed. */
  wake: (log: string) => void;
}

/** A part of the work of an indexer. */
export interface IndexingShare {
  milliseconds: number;
  /** The conversations to begin with. */
  first: readonly string[];
  /** True if no others are entered. */
  onlyFirst?: boolean;
}

/** Brings conversations into the index, as their logs have them. Any number of processes may do so at once. */
export class LogIndexer {
  readonly #parts: LogIndexerParts;
  /** Logs that cannot be read, and where that was. */
  readonly #unreadable = new Map<string, string>();

  constructor(parts: LogIndexerParts) {
    this.#parts = parts;
  }

  /** Works for about so many milliseconds, at least on one log. Returns true if nothing is left to do. */
  async addSome({ milliseconds, first, onlyFirst = false }: IndexingShare): Promise<boolean> {
    const deadline = performance.now() + milliseconds;
    const isNamed = first.length > 0 && first.length <= mostNamed;
    if (isNamed && !(await this.#addAll(await this.#stale(first), deadline))) return false;
    if (isNamed && onlyFirst) return true;
    const others = await this.#stale();
    return (await this.#addAll(others, deadline)) && others.length < mostAtOnce;
  }

  async #addAll(stale: readonly LogPosition[], deadline: number): Promise<boolean> {
    for (const [index, position] of stale.entries()) {
      await this.#add(position);
      if (performance.now() > deadline) return index === stale.length - 1;
    }
    return true;
  }

  /** Returns conversations that are not entered up to their ends: of those that are named, or the newest of all. */
  async #stale(roots?: readonly string[]): Promise<LogPosition[]> {
    const { from, before } = keyRange('root-');
    const rows = await this.#parts.database.rows<PositionRow>(
      `SELECT l.log, l.name, l.epoch, l.last_seq::double precision AS seq
       FROM loom.logs l LEFT JOIN loom.search_logs s ON s.log = l.log AND s.epoch = l.epoch AND s.seq = l.last_seq
       WHERE s.log IS NULL AND ${roots === undefined ? 'l.log >= $1 AND l.log < $2' : 'l.log = ANY ($1)'}
       ORDER BY l.log DESC LIMIT ${mostAtOnce} + ${roots === undefined ? '$3' : '$2'}::integer`,
      roots === undefined ? [from, before, this.#unreadable.size] : [roots.map(keyOf), mostNamed],
    );
    return rows
      .map(({ log, name, epoch, seq }) => ({ log: textOfKey(log, name), epoch, seq }))
      .filter((position) => this.#unreadable.get(position.log) !== placeOf(position));
  }

  async #add(position: LogPosition): Promise<void> {
    const read = await this.#read(position);
    if (read !== undefined) await enterLog(this.#parts.database, position.log, read);
  }

  /** `undefined` if the log cannot be read. */
  async #read(position: LogPosition): Promise<ReadLog | undefined> {
    const { forest, wake } = this.#parts;
    try {
      // The state in memory may be older than what was just written; now it reads what has come since.
      wake(position.log);
      const { cursor, value } = await forest.log(position.log).read((state) => [...searchableBlocks(state)]);
      return { ...cursor, blocks: value };
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      // A database that cannot be reached says nothing of this log.
      if (error.code === 'store-failed' || error.code === 'store-locked') throw error;
      this.#unreadable.set(position.log, placeOf(position));
      return undefined;
    }
  }
}

/** The end of a log. */
interface LogPosition {
  log: string;
  epoch: string;
  seq: number;
}

/** The blocks of a conversation at a place of its log. */
export interface ReadLog {
  epoch: string;
  seq: number;
  blocks: SearchableBlock[];
}

type PositionRow = { log: Buffer; name: Buffer | null; epoch: string; seq: number };

function placeOf({ epoch, seq }: LogPosition): string {
  return `${seq} ${epoch}`;
}

/** Bounds what is held in memory of a long list. */
const mostAtOnce = 200;
