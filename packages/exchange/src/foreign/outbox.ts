import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode } from './foreign.ts';

/**
 * Holds what a reader has found until it is taken. A node that grows before it is taken stays one item, at the place where it first came; one
 * that grows afterwards comes again with what is new.
 */
export class Outbox {
  #items: ForeignItem[] = [];
  /** Where nodes wait, by id; `blocks` is a list of our own once one has grown. */
  readonly #waiting = new Map<string, { at: number; conversation: string; blocks: ForeignBlock[] | undefined }>();

  conversation(conversation: ForeignConversation): void {
    this.#items.push({ type: 'conversation', conversation });
  }

  node(node: ForeignNode): void {
    const waiting = this.#waiting.get(node.id);
    const earlier = waiting?.conversation === node.conversation ? this.#items[waiting.at] : undefined;
    if (waiting === undefined || earlier?.type !== 'node') {
      this.#waiting.set(node.id, { at: this.#items.length, conversation: node.conversation, blocks: undefined });
      this.#items.push({ type: 'node', node });
      return;
    }
    waiting.blocks ??= [...earlier.node.blocks];
    for (const block of node.blocks) waiting.blocks.push(block);
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
