import { useSyncExternalStore } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';

/** Whether a block is the current one; drawn again only when that changes. */
export function useIsCurrent(block: string): boolean {
  const { current } = useLoom();
  return useSyncExternalStore(current.subscribe, () => current.getSnapshot() === block);
}

/** Whether the current block is part of a message. */
export function useIsCurrentNode(node: string): boolean {
  const { current } = useLoom();
  const { watch } = useConversation();
  return useSyncExternalStore(current.subscribe, () => {
    const id = current.getSnapshot();
    const blocks = id === undefined ? undefined : watch.node(node).getSnapshot()?.blocks;
    return blocks?.some((block) => block.block_id === id) === true;
  });
}

/** Whether models are not shown a block, from here on. */
export function useIsLeftOut(block: string): boolean {
  const { notShown } = useConversation();
  return useSyncExternalStore(notShown.subscribe, () => notShown.getSnapshot().blocks.has(block));
}

/** Whether a block is edited in its place. */
export function useIsEdited(block: string): boolean {
  const { editing } = useLoom().workspace;
  return useSyncExternalStore(editing.subscribe, () => editing.getSnapshot()?.block === block);
}
