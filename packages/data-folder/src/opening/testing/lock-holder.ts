// Takes a lock and says so, holds it until a line comes in, and says that it has released it.
import { createInterface } from 'node:readline';
import { takeLock } from '../../files/lock.ts';
import type { TakeLock } from '../../files/lock.ts';
import { takeTimedLock } from './timed-lock.ts';

/** The program of a holder; its arguments are the lock, its file, and the longest wait. */
export const lockHolderProgram = import.meta.filename;

if (import.meta.main) await hold(process.argv[2] === 'timed' ? takeTimedLock : takeLock);

async function hold(lock: TakeLock): Promise<void> {
  const [, , , path = '', patience = '0'] = process.argv;
  const lines = createInterface({ input: process.stdin });
  try {
    const taken = await lock(path, Number(patience));
    console.log('has it');
    await new Promise((resolve) => lines.once('line', resolve));
    console.log('lets go');
    taken.release();
  } catch {
    console.log('gives up');
  }
  lines.close();
  process.stdin.destroy();
}
