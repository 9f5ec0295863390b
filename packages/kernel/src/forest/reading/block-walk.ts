import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { liveChildren, liveDrafts } from '../../state/tree/tree.ts';

/** Every block that can be seen, in the order of a walk from the top; those of drafts come last. */
export function* visibleBlocks(state: RootState): Generator<{ node: NodeState; block: MessageBlock; index: number }> {
  if (state.deleted) return;
  for (const node of nodesBelow(state, state.id, Infinity)) {
    for (const [index, block] of node.blocks.entries()) yield { node, block, index };
  }
  for (const node of liveDrafts(state)) {
    for (const [index, block] of node.blocks.entries()) yield { node, block, index };
  }
}

/** Yields the nodes below a place, each before those below it. Conversations are deep, so this keeps its own stack. */
export function* nodesBelow(state: RootState, place: string, depth: number): Generator<NodeState> {
  const open: { node: NodeState; left: number }[] = [];
  const descend = (id: string, left: number): void => {
    if (left > 0)
      open.push(
        ...liveChildren(state, id)
          .map((node) => ({ node, left: left - 1 }))
          .reverse(),
      );
  };
  descend(place, depth);
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    yield next.node;
    descend(next.node.id, next.left);
  }
}
