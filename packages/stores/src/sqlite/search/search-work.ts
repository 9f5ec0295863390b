import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { Forest } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { openSqliteStore } from '../open.ts';
import { LogIndexer } from './log-indexer.ts';
import { LogPositions } from './log-positions.ts';
import { RootScan } from './root-scan.ts';
import { textOf } from './row-values.ts';
import { discardSearchDatabase, isDamage, openSearchDatabase } from './search-database.ts';
import type { SearchWork, SearchWorkSettings } from '../../search/search-server.ts';
import type { SearchReply, SearchRequest } from '../../search/search-message.ts';
import { SearchPlanner } from './search-planner.ts';
import { StretchCache } from './stretch-cache.ts';

/** The work of a search thread: everything about the index of one database. */
export class SqliteSearchWork implements SearchWork {
  readonly #directory: string;
  readonly #settings: SearchWorkSettings;
  #open: Opened | undefined;

  constructor(directory: string, settings: SearchWorkSettings) {
    this.#directory = directory;
    this.#settings = settings;
  }

  /** Handles a request. If the index turns out to be damaged, it is thrown away and the work is done with a new one. */
  async answer(request: SearchRequest): Promise<SearchReply> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#answer(request);
      } catch (error) {
        // After any failure everything is opened anew.
        await this.close();
        if (isDamage(error) && attempt === 1) {
          discardSearchDatabase(this.#indexPath);
          continue;
        }
        return { type: 'failed', id: request.id, message: error instanceof Error ? error.message : String(error) };
      }
    }
  }

  /** Gives back memory while no search runs. */
  rest(): void {
    this.#open?.cache.clear();
  }

  async close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    open?.database.close();
    open?.positions.close();
    await (await open?.indexing)?.store.close();
  }

  async #answer(request: SearchRequest): Promise<SearchReply> {
    const { id } = request;
    const open = await this.#opened();
    const { identity, planner, scan } = open;
    switch (request.type) {
      case 'plan':
        return { type: 'planned', id, identity, ...planner.plan(request.search) };
      case 'scan':
        // Numbers of logs and stretches mean nothing in another index.
        if (request.identity !== identity) return { type: 'failed', id, message: 'the index was made anew meanwhile' };
        return { type: 'scanned', id, roots: scan.run(request) };
      case 'index': {
        open.indexing ??= this.#startIndexing(open);
        const { indexer } = await open.indexing;
        return { type: 'indexed', id, isDone: await indexer.addSome(request.milliseconds, request.first) };
      }
    }
  }

  async #opened(): Promise<Opened> {
    const files = `${fileNumber(this.#databasePath)} ${fileNumber(this.#indexPath)}`;
    // Another process may have replaced one of them; no other process would ever see the file still open.
    if (this.#open !== undefined && files !== this.#open.files) await this.close();
    if (this.#open !== undefined) return this.#open;
    const positions = new LogPositions(this.#databasePath);
    let database: DatabaseSync | undefined;
    try {
      database = openSearchDatabase(this.#indexPath);
      const identity = textOf(database.prepare('SELECT name FROM identity').get()?.['name']);
      const planner = new SearchPlanner(database, positions);
      const cache = new StretchCache(database, this.#settings.cacheBytes);
      const scan = new RootScan(database, cache, this.#settings);
      const now = `${fileNumber(this.#databasePath)} ${fileNumber(this.#indexPath)}`;
      this.#open = { files: now, identity, positions, database, cache, planner, scan, indexing: undefined };
      return this.#open;
    } catch (error) {
      positions.close();
      database?.close();
      throw error;
    }
  }

  /** Starts indexing. Only the thread that makes the index reads logs. */
  async #startIndexing({ database, positions }: Opened): Promise<Indexing> {
    const store = await openSqliteStore({ directory: this.#directory, looks: 'beside-others' });
    const ids = { next: () => '' };
    const clock = { now: Date.now, after: () => () => undefined };
    const room = { nodesAtHand: 8_000, logsAtHand: 20 };
    const forest = new Forest({ store, clock, ids, snapshotEvery: Infinity, usesSnapshots: true, ...room });
    return { store, indexer: new LogIndexer(database, positions, forest) };
  }

  get #databasePath(): string {
    return join(this.#directory, 'loom.db');
  }

  get #indexPath(): string {
    return `${this.#databasePath}-search`;
  }
}

interface Opened {
  /** The identity of the files, whatever their names. */
  files: string;
  identity: string;
  positions: LogPositions;
  database: DatabaseSync;
  cache: StretchCache;
  planner: SearchPlanner;
  scan: RootScan;
  indexing: Promise<Indexing> | undefined;
}

interface Indexing {
  store: Store;
  indexer: LogIndexer;
}

function fileNumber(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
