import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import type { HeldLock } from '../../files/lock.ts';

/** A planted fault: a lock that counts although its file has been moved away, and another one is in its place. */
export async function withCarelessLock<Result>(
  path: string,
  patience: number,
  work: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  using database = new DatabaseSync(path, { timeout: 0 });
  const deadline = performance.now() + patience;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      break;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await delay(5);
  }
  return work({ isInPlace: () => true });
}
