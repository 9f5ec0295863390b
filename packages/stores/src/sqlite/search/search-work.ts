import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { Catalogue } from './index/catalogue.ts';
import { RootScan } from './root-scan.ts';
import type { RootScanSettings } from './root-scan.ts';
import { textOf } from './row-values.ts';
import { discardSearchDatabase, isDamage, openSearchDatabase } from './search-database.ts';
import { indexSuffix } from './search-message.ts';
import type { SearchReply, SearchRequest } from './search-message.ts';
import { SearchPlanner } from './search-plan.ts';
import { SnapshotReader } from './snapshot-reader.ts';
import { TextCache } from './text-cache.ts';
import { WordIndex } from './index/word-index.ts';

export interface SearchWorkSettings extends RootScanSettings {
  /** Keeps about so many bytes of texts in memory. */
  cacheBytes: number;
}

/** What a thread does: everything about the index of one database. */
export class SearchWork {
  readonly #path: string;
  readonly #settings: SearchWorkSettings;
  #open: Opened | undefined;

  constructor(path: string, settings: SearchWorkSettings) {
    this.#path = path;
    this.#settings = settings;
  }

  /** Does what is asked. If the index turns out to be damaged, it is thrown away and the work is done with a new one. */
  answer(request: SearchRequest): SearchReply {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return this.#answer(request);
      } catch (error) {
        // After any failure both are opened anew.
        this.close();
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

  close(): void {
    this.#open?.database.close();
    this.#open?.reader.close();
    this.#open = undefined;
  }

  #answer(request: SearchRequest): SearchReply {
    const { id } = request;
    const { identity, planner, scan, words } = this.#opened();
    switch (request.type) {
      case 'plan':
        return { type: 'planned', id, identity, ...planner.plan(request.search) };
      case 'scan':
        // Numbers of logs and chunks mean nothing in another index.
        if (request.identity !== identity) return { type: 'failed', id, message: 'the index was made anew meanwhile' };
        return { type: 'scanned', id, roots: scan.run(request) };
      case 'index':
        return { type: 'indexed', id, isDone: words.addSome(request.milliseconds) };
    }
  }

  #opened(): Opened {
    // Another process may have deleted it meanwhile; what is still open would never be seen by any other.
    if (this.#open !== undefined && fileNumber(this.#indexPath) !== this.#open.file) this.close();
    if (this.#open !== undefined) return this.#open;
    const reader = new SnapshotReader(this.#path);
    let database: DatabaseSync | undefined;
    try {
      database = openSearchDatabase(this.#indexPath);
      const identity = textOf(database.prepare('SELECT name FROM identity').get()?.['name']);
      const planner = new SearchPlanner(database, new Catalogue(database, reader));
      const cache = new TextCache(database, this.#settings.cacheBytes);
      const scan = new RootScan(database, reader, cache, this.#settings);
      const words = new WordIndex(database, reader);
      this.#open = { file: fileNumber(this.#indexPath), identity, reader, database, cache, planner, scan, words };
      return this.#open;
    } catch (error) {
      reader.close();
      database?.close();
      throw error;
    }
  }

  get #indexPath(): string {
    return `${this.#path}${indexSuffix}`;
  }
}

interface Opened {
  /** Which file it is, whatever its name. */
  file: number | undefined;
  identity: string;
  reader: SnapshotReader;
  database: DatabaseSync;
  cache: TextCache;
  planner: SearchPlanner;
  scan: RootScan;
  words: WordIndex;
}

function fileNumber(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.ino;
}
