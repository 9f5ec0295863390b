import { Forest } from '@loom/kernel/logs';
import type { SearchReply, SearchRequest } from '../../search/search-message.ts';
import type { SearchWork, SearchWorkSettings } from '../../search/search-server.ts';
import { openStoreApart } from '../open.ts';
import type { StoreApart } from '../open.ts';
import { LogIndexer } from './log-indexer.ts';
import { RootScan } from './root-scan.ts';
import { planSearch } from './search-planner.ts';
import { StretchCache } from './stretch-cache.ts';

/** The work of a thread on the index of one schema. */
export class PostgresSearchWork implements SearchWork {
  readonly #settings: SearchWorkSettings;
  readonly #apart: StoreApart;
  readonly #cache: StretchCache;
  readonly #scan: RootScan;
  #indexer: LogIndexer | undefined;

  constructor(url: string, settings: SearchWorkSettings) {
    this.#settings = settings;
    this.#apart = openStoreApart({ url, connections: 2 });
    const { database } = this.#apart;
    this.#cache = new StretchCache(database, this.#settings.cacheBytes);
    this.#scan = new RootScan(database, this.#cache, settings);
  }

  async answer(request: SearchRequest): Promise<SearchReply> {
    try {
      return await this.#answer(request);
    } catch (error) {
      return { type: 'failed', id: request.id, message: error instanceof Error ? error.message : String(error) };
    }
  }

  rest(): void {
    this.#cache.clear();
  }

  close(): Promise<void> {
    return this.#apart.store.close();
  }

  async #answer(request: SearchRequest): Promise<SearchReply> {
    const { id } = request;
    switch (request.type) {
      case 'plan':
        // Numbers of rows are never used again, so that a plan needs no identity.
        return { type: 'planned', id, identity: '', ...(await planSearch(this.#apart.database, request.search)) };
      case 'scan':
        return { type: 'scanned', id, roots: await this.#scan.run(request) };
      case 'index': {
        this.#indexer ??= this.#createIndexer();
        return { type: 'indexed', id, isDone: await this.#indexer.addSome(request) };
      }
    }
  }

  #createIndexer(): LogIndexer {
    const { store, database, wake } = this.#apart;
    const ids = { next: () => '' };
    const clock = { now: Date.now, after: () => () => undefined };
    const room = { nodesAtHand: 8_000, logsAtHand: 20 };
    const forest = new Forest({ store, clock, ids, snapshotEvery: Infinity, usesSnapshots: true, ...room });
    return new LogIndexer({ database, forest, wake });
  }
}
