import type { HomeNews } from '@loom/kernel';

/** Those who show something that is kept in a home, by the beginning of its keys. */
const watching = new Set<{ prefix: string; again: () => void }>();

/** Calls back when entries whose keys begin with a prefix may have changed, here or elsewhere. Returns a function that stops it. */
export function whenHomeChanges(prefix: string, again: () => void): () => void {
  const own = { prefix, again };
  watching.add(own);
  return () => void watching.delete(own);
}

/** A home has changed; without keys any of its entries may have. */
export function tellHomeChanged({ keys }: HomeNews): void {
  for (const { prefix, again } of watching)
    if (keys === undefined || keys.some((key) => key.startsWith(prefix))) again();
}
