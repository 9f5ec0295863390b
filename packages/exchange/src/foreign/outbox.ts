import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode } from './foreign.ts';

/**
 * Holds what a reader has found until it is taken. A node that grows before it is taken stays one item, at the place where it first came; one
 * that grows afterwards comes again with what is new.
 */
export class Outbox {
  #items: ForeignItem[] = [];
  readonly #waiting = new Map<string, { at: number; blocks: ForeignBlock[] }>();

  conversation(conversation: ForeignConversation): void {
    this.#items.push({ type: 'conversation', conversation });
  }

  node(node: ForeignNode): void {
    const key = `${node.conversation}\n${node.id}`;
    const waiting = this.#waiting.get(key);
    const earlier = waiting === undefined ? undefined : this.#items[waiting.at];
    if (waiting === undefined || earlier?.type !== 'node') {
      const blocks = [...node.blocks];
      this.#waiting.set(key, { at: this.#items.length, blocks });
      this.#items.push({ type: 'node', node: { ...node, blocks } });
      return;
    }
    waiting.blocks.push(...node.blocks);
    this.#items[waiting.at] = { type: 'node', node: { ...earlier.node, ...node, blocks: waiting.blocks } };
  }

  retract(conversation: string, keys: readonly string[]): void {
    this.#items.push({ type: 'retract', conversation, keys });
  }

  take(): ForeignItem[] {
    const items = this.#items;
    this.#items = [];
    this.#waiting.clear();
    return items;
  }
}
