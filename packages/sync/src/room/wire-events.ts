import type { MessageBlock } from '@loom/blocks';
import type { FeedEvent, NodeChanges, NodeState } from '@loom/kernel';

/** An event as it travels: a changed node is sent as its changes. Clients do not learn which process runs a turn. */
export type WireEvent =
  | Exclude<FeedEvent, { type: 'node-changed' | 'turn-taken' }>
  | ({ type: 'node-changed'; node: string } & NodeChanges);

export function wireEvents(event: FeedEvent): WireEvent[] {
  switch (event.type) {
    case 'node-added':
      return [{ ...event, node: wireNode(event.node) }];
    case 'node-changed': {
      const { set, blocks } = event.changes;
      const changed = { type: event.type, node: event.node.id, set };
      if (blocks === undefined) return [changed];
      return [{ ...changed, blocks: blocks.map((block) => (typeof block === 'string' ? block : wireBlock(block))) }];
    }
    case 'block-added':
    case 'block-changed':
      return [{ ...event, block: wireBlock(event.block) }];
    case 'turn-taken':
      return [];
    default:
      return [event];
  }
}

export function wireNode(node: NodeState): NodeState {
  return node.blocks.some(({ prefix }) => prefix !== undefined)
    ? { ...node, blocks: node.blocks.map(wireBlock) }
    : node;
}

/** The hash of what its model was shown is the kernel's own affair. */
function wireBlock(block: MessageBlock): MessageBlock {
  if (block.prefix === undefined) return block;
  const { prefix: _prefix, ...rest } = block;
  return rest;
}
