import type { Forest } from '../forest.ts';

/** Returns true if a conversation shows a blob in one of its messages. Deleted ones show nothing. */
export async function showsBlob(forest: Forest, root: string, blob: string): Promise<boolean> {
  const isShown = await forest.readUnlessDamaged(root, ({ deleted, nodes }) => {
    if (deleted) return false;
    return nodes.values().some((node) => node.deleted !== true && JSON.stringify(node.blocks).includes(blob));
  });
  return isShown ?? false;
}
