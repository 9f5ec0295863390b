import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { TakeLock } from '@loom/data-folder/files';

/** A planted fault: a lock that is given back as soon as it was had, and counts although its file has been moved away. */
export const takeCarelessLock: TakeLock = async (path, patience) => {
  using database = new DatabaseSync(path, { timeout: 0 });
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return { isInPlace: () => true, release: () => {} };
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await delay(5);
  }
};
