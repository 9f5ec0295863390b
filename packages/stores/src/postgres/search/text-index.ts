import { randomUUID } from 'node:crypto';
import type { Store } from '@loom/kernel/store';
import { SearchThread } from '../../search/search-thread.ts';
import { ThreadedTextIndex } from '../../search/threaded-text-index.ts';
import type { TextIndexLimits } from '../../search/threaded-text-index.ts';
import { FollowedLogs } from './followed-logs.ts';

export interface PostgresTextIndexOptions extends TextIndexLimits {
  /** The database, as the store was opened with it. */
  url: string;
  /** The store, which tells what is written. */
  store: Pick<Store, 'listenAll' | 'lease' | 'release'>;
  /** The longest time that JavaScript's engine may make no progress, in milliseconds of processor time. */
  patience?: number;
  script?: URL;
}

export type PostgresTextIndex = ThreadedTextIndex;

/**
 * Opens the index for the texts of a store in PostgreSQL, which is in its schema. Of the processes that follow the logs one enters
 * what is written; each enters what its own searches need.
 */
export function openPostgresTextIndex({
  url,
  store,
  patience,
  script = new URL('./search-worker.ts', import.meta.url),
  ...limits
}: PostgresTextIndexOptions): PostgresTextIndex {
  const settings = { script, place: { url }, ...(patience === undefined ? {} : { patience }) };
  const followed = new FollowedLogs(store, randomUUID());
  return new ThreadedTextIndex({
    ...limits,
    thread: (cacheBytes) => new SearchThread({ ...settings, cacheBytes }),
    enterNews: (indexer) => followed.enterNews(indexer),
    closed: () => followed.close(),
  });
}
