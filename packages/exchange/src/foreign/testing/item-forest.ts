import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode } from '../foreign.ts';

/** A node after all applied items. */
export interface ForestNode extends Omit<ForeignNode, 'blocks'> {
  readonly blocks: ForeignBlock[];
}

/**
 * Applies items the way an importer does, in memory: blocks with new keys go to the end of their node, no block is rewritten, and retracted ones go.
 * Throws where an importer could not continue.
 */
export class ItemForest {
  readonly conversations = new Map<string, ForeignConversation>();
  readonly nodes = new Map<string, ForestNode>();
  readonly #keys = new Map<string, Set<string>>();
  readonly #retracted = new Set<string>();

  apply(items: readonly ForeignItem[]): void {
    for (const item of items) {
      switch (item.type) {
        case 'conversation':
          this.conversations.set(item.conversation.id, item.conversation);
          break;
        case 'node':
          this.#applyNode(item.node);
          break;
        case 'retract':
          this.#retract(item.conversation, item.keys);
          break;
      }
    }
  }

  /** The whole as one value, for comparisons; a retracted parent is passed over. */
  get value(): unknown {
    return {
      conversations: [...this.conversations.values()],
      nodes: [...this.nodes.values()].filter(({ blocks }) => blocks.length > 0),
    };
  }

  #applyNode(node: ForeignNode): void {
    const name = `${node.conversation}\n${node.id}`;
    const known = this.nodes.get(name);
    if (!this.conversations.has(node.conversation)) throw new Error(`${node.id} comes before its conversation`);
    if (node.parent !== undefined && !this.nodes.has(`${node.conversation}\n${node.parent}`)) {
      throw new Error(`${node.id} comes before ${node.parent}, which is above it`);
    }
    if (known !== undefined && known.parent !== node.parent) throw new Error(`${node.id} has changed its place`);
    if (known !== undefined && known.role !== node.role) throw new Error(`${node.id} has changed its role`);
    const keys = this.#keys.get(node.conversation) ?? new Set<string>();
    this.#keys.set(node.conversation, keys);
    const blocks = known?.blocks ?? [];
    for (const block of node.blocks) {
      if (keys.has(block.key)) {
        if (
          !blocks.some(({ key }) => key === block.key) &&
          !this.#retracted.has(`${node.conversation}\n${block.key}`)
        ) {
          throw new Error(`${block.key} stands in two nodes`);
        }
        continue;
      }
      keys.add(block.key);
      blocks.push(block);
    }
    this.nodes.set(name, { ...node, blocks });
  }

  #retract(conversation: string, keys: readonly string[]): void {
    for (const key of keys) this.#retracted.add(`${conversation}\n${key}`);
    const gone = new Set(keys);
    for (const node of this.nodes.values()) {
      if (node.conversation !== conversation) continue;
      const left = node.blocks.filter(({ key }) => !gone.has(key) && !gone.has(key.split('/view-')[0] ?? key));
      node.blocks.splice(0, node.blocks.length, ...left);
    }
  }
}
