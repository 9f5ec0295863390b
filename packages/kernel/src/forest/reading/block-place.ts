import { editableText, renderBlockAsText } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { presentNode } from '../../state/tree/tree.ts';
import type { NodeState } from '../../state/node-state.ts';
import { refuse } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import type { RootState } from '../../state/root-state.ts';

/** A block and the node that it stands in. */
export interface PlacedBlock {
  readonly node: NodeState;
  readonly block: MessageBlock;
  readonly index: number;
}

/** The root that a block or node id belongs to; a root's own id is one too. */
export function rootOfId(id: string): string {
  const agent = id.indexOf('/@');
  if (agent !== -1) return id.slice(0, agent);
  const name = id.lastIndexOf('/');
  return name === -1 ? id : id.slice(0, name);
}

/** A block that can be seen, by its id. */
export function placeOfBlock(state: RootState, id: string): PlacedBlock | undefined {
  const node = state.deleted ? undefined : presentNode(state, state.nodeOfBlock.get(id) ?? '');
  const index = node?.blocks.findIndex((block) => block.block_id === id) ?? -1;
  const block = node?.blocks[index];
  return node === undefined || block === undefined ? undefined : { node, block, index };
}

/** The node that a block, node or root id stands for: the block's own, or the id itself. */
export function nodeOfPlace(state: RootState, id: string): string {
  return state.nodeOfBlock.get(id) ?? id;
}

/** `state` is that of the conversation, if there is one: a message that is taken for a block is answered with its blocks. */
export function refuseMissingBlock(id: string, state?: RootState): Refused {
  const node = state === undefined || state.deleted ? undefined : presentNode(state, id);
  const blocks = node?.blocks.flatMap(({ block_id }) => block_id ?? []) ?? [];
  return refuse({ reason: 'block-not-found', block: id, ...(blocks.length === 0 ? {} : { blocks }) });
}

/**
 * Returns the parent of a block: the block before it, the last block of the node above for the first of a node, the call for
 * a result.
 */
export function parentOfBlock(state: RootState, { node, index }: PlacedBlock): string | undefined {
  if (index > 0) return node.blocks[index - 1]?.block_id;
  const above = state.nodes.get(node.parent);
  if (node.role !== 'tool') return above?.blocks.at(-1)?.block_id;
  for (let next = above; next !== undefined; next = state.nodes.get(next.parent)) {
    const call = next.blocks.find((block) => block.type === 'tool-use' && block.id === node.tool_call_id);
    if (call !== undefined) return call.block_id;
  }
  return above?.blocks.at(-1)?.block_id;
}

/** Returns the file that the text of a block is from, for searches by file. */
export function pathOfBlock(block: MessageBlock): string | undefined {
  const path = block.metadata?.['path'];
  if (typeof path === 'string') return path;
  return block.type === 'code' ? block.filename : undefined;
}

/** Returns the readable content of a block: its text, or its rendering as text. */
export function contentOf(block: MessageBlock): string {
  return editableText(block) ?? renderBlockAsText(block);
}
