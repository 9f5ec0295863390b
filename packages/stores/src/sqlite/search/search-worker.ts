// A thread that searches: see search-thread.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { cancelCell, lateCell } from './search-message.ts';
import type { SearchRequest, SearchThreadOptions } from './search-message.ts';
import { SearchWork } from './search-work.ts';

function serve({ path, control, cacheBytes, patience }: SearchThreadOptions): void {
  const work = new SearchWork(path, {
    cacheBytes,
    patience,
    isCancelled: (run) => Atomics.load(control, cancelCell) >= run,
    isLate: (run) => Atomics.load(control, lateCell) >= run,
  });
  let resting: NodeJS.Timeout | undefined;
  parentPort?.on('message', (request: SearchRequest | 'close') => {
    if (request === 'close') {
      work.close();
      parentPort?.close();
      return;
    }
    clearTimeout(resting);
    parentPort?.postMessage(work.answer(request), []);
    resting = setTimeout(() => work.rest(), restMilliseconds).unref();
  });
}

const restMilliseconds = 30_000;

// Only search-thread.ts starts this thread.
function isOptions(value: unknown): value is SearchThreadOptions {
  return typeof value === 'object' && value !== null && 'control' in value;
}

const options: unknown = workerData;
if (isOptions(options)) serve(options);
