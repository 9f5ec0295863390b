import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode } from './foreign.ts';

/** A node that grows before it is taken. */
type NodeDraft = { -readonly [Field in keyof ForeignNode]: ForeignNode[Field] } & { blocks: ForeignBlock[] };

/**
 * Holds a reader's items until they are taken. An item that grows before that stays one item, at the place where it first came; one that grows
 * afterwards comes again with the new part.
 */
export class Outbox {
  #items: ForeignItem[] = [];
  /** Waiting nodes with their places; one that grows is copied first. */
  readonly #nodes = new Map<string, { at: number; node: ForeignNode; draft: NodeDraft | undefined }>();
  readonly #conversations = new Map<string, number>();

  conversation(conversation: ForeignConversation): void {
    const at = this.#conversations.get(conversation.id);
    const item: ForeignItem = { type: 'conversation', conversation };
    if (at !== undefined) this.#items[at] = item;
    else this.#conversations.set(conversation.id, this.#items.push(item) - 1);
  }

  node(node: ForeignNode): void {
    const key = `${node.conversation}\n${node.id}`;
    const waiting = this.#nodes.get(key);
    if (waiting === undefined) {
      this.#nodes.set(key, { at: this.#items.push({ type: 'node', node }) - 1, node, draft: undefined });
      return;
    }
    if (waiting.draft === undefined) {
      waiting.draft = { ...waiting.node, blocks: [...waiting.node.blocks] };
      this.#items[waiting.at] = { type: 'node', node: waiting.draft };
    }
    const { draft } = waiting;
    const { blocks } = draft;
    for (const block of node.blocks) blocks.push(block);
    Object.assign(draft, node);
    draft.blocks = blocks;
  }

  retract(conversation: string, keys: readonly string[]): void {
    this.#items.push({ type: 'retract', conversation, keys });
  }

  take(): ForeignItem[] {
    const items = this.#items;
    // The list itself would grow in the hands of the reader.
    if (items.length === 0) return [];
    this.#items = [];
    this.#nodes.clear();
    this.#conversations.clear();
    return items;
  }
}
