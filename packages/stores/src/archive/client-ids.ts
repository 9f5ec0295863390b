import type { ForestOp, RootOp, Store } from '@loom/kernel';
import { tooLarge } from './archive-error.ts';

/** The highest number of a client that edited a text in these ops; 1 if none did. */
export function highestClientId(ops: readonly (RootOp | ForestOp)[]): number {
  let highest = 1;
  for (const op of ops) {
    if (op.type === 'text' || op.type === 'client-added') highest = Math.max(highest, op.client);
    if (op.type === 'unit') for (const [client] of op.copies) highest = Math.max(highest, client);
  }
  return highest;
}

/** Makes sure that no client gets a number up to this one any more. */
export async function raiseClientIds(store: Store, through: number): Promise<void> {
  if (through < 2) return;
  if (through > highestNumber) throw tooLarge(`a client with the number ${through}`);
  await store.nextClientId(through);
}

/** Yjs has no more; and a file that names a higher one would leave no numbers for anybody. */
const highestNumber = 2 ** 31;
