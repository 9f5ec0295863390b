// Takes a lock and says so, holds it until a line comes in, and says that it has let go.
import { createInterface } from 'node:readline';
import { withLock } from '../../files/lock.ts';
import { withTimedLock } from './timed-lock.ts';

/** The file to start a holder with, and its arguments: which lock, its file, and for how long to wait. */
export const lockHolderProgram = import.meta.filename;

if (import.meta.main) await hold(process.argv[2] === 'timed' ? withTimedLock : withLock);

async function hold(lock: typeof withLock): Promise<void> {
  const [, , , path = '', patience = '0'] = process.argv;
  const lines = createInterface({ input: process.stdin });
  try {
    await lock(path, Number(patience), async () => {
      console.log('has it');
      await new Promise((resolve) => lines.once('line', resolve));
      console.log('lets go');
    });
  } catch {
    console.log('gives up');
  }
  lines.close();
  process.stdin.destroy();
}
