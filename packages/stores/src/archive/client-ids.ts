import type { Store } from '@loom/kernel/store';
import { tooLarge } from './archive-error.ts';

/** Keeps every client from getting a number up to and including this one. */
export async function raiseClientIds(store: Store, through: number): Promise<void> {
  if (through < 2) return;
  if (through > highestNumber) throw tooLarge(`a client with the number ${through}`);
  await store.nextClientId(through);
}

/** Yjs has no more; and a file that names a higher one would leave no numbers for new clients. */
const highestNumber = 2 ** 31;
