import type { Clock } from '@loom/kernel';
import { removeNotedBlobs, sweepBlobs } from '@loom/kernel/logs';
import { isAboutOneLog } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';

export interface BlobUpkeepOptions {
  store: Store;
  clock: Clock;
  /** The conversations, of which some may have no log yet. */
  roots: () => Promise<readonly string[]>;
  /** Returns true if conversations are missing that may come back from a backup: then the blobs they name are unknown. */
  isIncomplete: () => boolean;
  onFailure: (error: unknown) => void;
}

/** The delay of the first sweep, in milliseconds: not while the process starts, nor in one that is soon over. */
const firstDelay = 10 * 60_000;
const day = 24 * 60 * 60_000;

/**
 * Removes blobs that nothing has cited for a week, and those of a purge that was cut short, once a day for as long as the folder is served. Returns a function that stops it;
 * nothing is removed from then on.
 */
export function keepBlobsSwept(options: BlobUpkeepOptions): () => Promise<void> {
  const { clock, onFailure } = options;
  const stopping = new AbortController();
  let underWay: Promise<void> = Promise.resolve();
  let cancel = (): void => {};
  const plan = (delay: number): void => {
    cancel = clock.after(delay, () => {
      underWay = sweepAndPlan();
    });
  };
  const sweepAndPlan = async (): Promise<void> => {
    try {
      await sweep(options, stopping.signal);
    } catch (error) {
      // A log that cannot be read is reported when it is opened, and by the doctor.
      if (!stopping.signal.aborted && !isAboutOneLog(error)) onFailure(error);
    }
    if (!stopping.signal.aborted) plan(day);
  };
  plan(firstDelay);
  return async () => {
    stopping.abort();
    cancel();
    await underWay;
  };
}

async function sweep({ store, roots, isIncomplete }: BlobUpkeepOptions, signal: AbortSignal): Promise<void> {
  if (isIncomplete()) return;
  const unlisted = await roots();
  await removeNotedBlobs(store);
  await sweepBlobs({ store, unlisted, signal });
}
