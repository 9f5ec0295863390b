import { useSyncExternalStore } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import type { Found } from '../branching/workspace.ts';
import type { Row } from '../conversation/rows.ts';
import { holdsBlock } from './steps.ts';

/** Returns true if the current block is drawn in a row; draws again only when that changes. */
export function useIsCurrent(row: Row): boolean {
  const { current } = useLoom();
  const conversation = useConversation();
  return useSyncExternalStore(current.subscribe, () => {
    const block = current.getSnapshot();
    return block !== undefined && holdsBlock(row, block, conversation.nodeOfBlock(block));
  });
}

/** Returns the search result in a row, if there is one. */
export function useFound(row: Row): Found | undefined {
  const { found } = useLoom().workspace;
  return useSyncExternalStore(found.subscribe, () => {
    const one = found.getSnapshot();
    return one !== undefined && holdsBlock(row, one.block, one.node) ? one : undefined;
  });
}

/** Returns true if the current block is part of a message. */
export function useIsCurrentNode(node: string): boolean {
  const { current } = useLoom();
  const { watch } = useConversation();
  return useSyncExternalStore(current.subscribe, () => {
    const id = current.getSnapshot();
    const blocks = id === undefined ? undefined : watch.node(node).getSnapshot()?.blocks;
    return blocks?.some((block) => block.block_id === id) === true;
  });
}

/** Returns true if models do not see a block, from here on. */
export function useIsLeftOut(block: string): boolean {
  const { notShown } = useConversation();
  return useSyncExternalStore(notShown.subscribe, () => notShown.getSnapshot().blocks.has(block));
}

/** Returns true if a block is being edited in place. */
export function useIsEdited(block: string): boolean {
  const { editing } = useLoom().workspace;
  return useSyncExternalStore(editing.subscribe, () => editing.getSnapshot()?.block === block);
}
