import type { ForeignConversation, ForeignItem, ForeignNode } from '../../foreign/foreign.ts';

/** What items come to, as an importer would put them together: nodes by their ids, each with the blocks whose keys came first. */
export interface GatheredTree {
  conversations: Map<string, ForeignConversation>;
  nodes: Map<string, ForeignNode>;
}

/** Puts items together. Fails if a message comes before the one above it. */
export function gatherTree(items: Iterable<ForeignItem>): GatheredTree {
  const tree: GatheredTree = { conversations: new Map(), nodes: new Map() };
  for (const item of items) {
    if (item.type === 'conversation') tree.conversations.set(item.conversation.id, item.conversation);
    if (item.type !== 'node') continue;
    const { node } = item;
    const name = (id: string): string => `${node.conversation} ${id}`;
    if (node.parent !== undefined && !tree.nodes.has(name(node.parent))) {
      throw new Error(`${node.id} comes before ${node.parent}`);
    }
    if (!tree.conversations.has(node.conversation)) throw new Error(`${node.id} comes before its conversation`);
    const before = tree.nodes.get(name(node.id));
    const known = new Set(before?.blocks.map(({ key }) => key));
    const blocks = [...(before?.blocks ?? []), ...node.blocks.filter(({ key }) => !known.has(key))];
    tree.nodes.set(name(node.id), { ...node, blocks });
  }
  return tree;
}
