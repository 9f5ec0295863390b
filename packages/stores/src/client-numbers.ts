import { rootCodec } from '@loom/kernel/logs';
import type { ForestOp, HomeOp, RootOp } from '@loom/kernel/logs';

/** The highest number of a client that edited a text in these ops; 1 if none did. */
export function highestClientId(ops: readonly (RootOp | ForestOp | HomeOp)[]): number {
  let highest = 1;
  for (const op of ops) {
    if (op.type === 'text' || op.type === 'client-added') highest = Math.max(highest, op.client);
    if (op.type === 'unit') for (const [client] of op.copies) highest = Math.max(highest, client);
  }
  return highest;
}

/** The same for the text of a record; 1 if it holds no changes. */
export function highestClientIn(text: string): number {
  // Most records name none, and looking for the words is quick.
  if (!text.includes('"client') && !text.includes('"copies')) return 1;
  try {
    return Math.max(1, ...rootCodec.decode(text).map(({ ops }) => highestClientId(ops)));
  } catch {
    return 1;
  }
}
