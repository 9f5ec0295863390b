// A thread that searches, or that keeps the index: see ../../search/search-thread.ts.
import { workerData } from 'node:worker_threads';
import type { SearchThreadOptions } from '../../search/search-message.ts';
import { serveSearches } from '../../search/search-server.ts';
import { PostgresSearchWork } from './search-work.ts';

type Options = SearchThreadOptions & { url: string };

// Only text-index.ts starts this thread.
function isOptions(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && 'control' in value;
}

const options: unknown = workerData;
if (isOptions(options)) serveSearches(options, (settings) => new PostgresSearchWork(options.url, settings));
