import { rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type { TakeLock } from '../../files/lock.ts';

const patienceWithDead = 300;

/** A planted fault: a lock that takes a holder for dead after some silence. */
export const takeTimedLock: TakeLock = async (path, patience) => {
  const deadline = performance.now() + patience;
  while (!take(path)) {
    if (performance.now() > deadline) throw new Error('held');
    await delay(5);
  }
  const sign = setInterval(() => utimesSync(path, new Date(), new Date()), 50);
  return {
    isInPlace: () => true,
    release() {
      clearInterval(sign);
      rmSync(path, { force: true });
    },
  };
};

function take(path: string): boolean {
  try {
    const { mtimeMs } = statSync(path);
    if (Date.now() - mtimeMs > patienceWithDead) rmSync(path, { force: true });
  } catch {
    // No process has it.
  }
  try {
    writeFileSync(path, '', { flag: 'wx' });
    return true;
  } catch {
    return false;
  }
}
