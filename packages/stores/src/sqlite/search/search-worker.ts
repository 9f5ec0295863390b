// A thread that searches: see search-thread.ts.
import { parentPort, workerData } from 'node:worker_threads';
import { cancelCell } from './search-message.ts';
import type { SearchRequest, SearchThreadOptions } from './search-message.ts';
import { SearchWork } from './search-work.ts';

function serve({ directory, control, cacheBytes, patience }: SearchThreadOptions): void {
  const work = new SearchWork(directory, {
    cacheBytes,
    patience,
    isCancelled: (run) => Atomics.load(control, cancelCell) >= run,
  });
  let resting: NodeJS.Timeout | undefined;
  let last: Promise<void> = Promise.resolve();
  const perform = async (request: SearchRequest | 'close'): Promise<void> => {
    if (request === 'close') {
      await work.close();
      parentPort?.close();
      return;
    }
    clearTimeout(resting);
    parentPort?.postMessage(await work.answer(request), []);
    resting = setTimeout(() => work.rest(), restMilliseconds).unref();
  };
  // One thing after the other.
  parentPort?.on('message', (request: SearchRequest | 'close') => {
    last = last.then(() => perform(request));
  });
}

const restMilliseconds = 30_000;

// Only search-thread.ts starts this thread.
function isOptions(value: unknown): value is SearchThreadOptions {
  return typeof value === 'object' && value !== null && 'control' in value;
}

const options: unknown = workerData;
if (isOptions(options)) serve(options);
