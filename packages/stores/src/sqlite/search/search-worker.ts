// A thread that searches: see search-thread.ts.
import { workerData } from 'node:worker_threads';
import type { SearchThreadOptions } from '../../search/search-message.ts';
import { serveSearches } from '../../search/search-server.ts';
import { SqliteSearchWork } from './search-work.ts';

/** `directory`: the folder of `loom.db`; the index lies beside it. */
type Options = SearchThreadOptions & { directory: string };

// Only text-index.ts starts this thread.
function isOptions(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && 'control' in value;
}

const options: unknown = workerData;
if (isOptions(options)) serveSearches(options, (settings) => new SqliteSearchWork(options.directory, settings));
