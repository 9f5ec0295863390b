import { parentPort } from 'node:worker_threads';
import { cancelCell } from './search-message.ts';
import type { SearchReply, SearchRequest, SearchThreadOptions } from './search-message.ts';
import type { StretchScanSettings } from './stretch-scan.ts';

/** The work of a thread that searches. */
export interface SearchWork {
  answer(request: SearchRequest): Promise<SearchReply>;
  /** Gives back memory while no search runs. */
  rest(): void;
  close(): Promise<void>;
}

/** The surroundings of that work: how much it may keep, and when to stop. */
export interface SearchWorkSettings extends StretchScanSettings {
  /** Keeps about so many bytes of texts in memory. */
  cacheBytes: number;
}

/** Serves the requests of a `SearchThread`, in the thread, one after the other. */
export function serveSearches(
  { control, cacheBytes, patience }: SearchThreadOptions,
  createWork: (settings: SearchWorkSettings) => SearchWork,
): void {
  const isCancelled = (run: number): boolean => Atomics.load(control, cancelCell) >= run;
  const work = createWork({ cacheBytes, patience, isCancelled });
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
  parentPort?.on('message', (request: SearchRequest | 'close') => {
    last = last.then(() => perform(request));
  });
}

const restMilliseconds = 30_000;
