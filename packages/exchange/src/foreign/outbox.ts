import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode } from './foreign.ts';

/** A node that grows before it is taken. */
type NodeDraft = { -readonly [Field in keyof ForeignNode]: ForeignNode[Field] } & { blocks: ForeignBlock[] };

/**
 * Holds what a reader has found until it is taken. What grows before that stays one item, at the place where it first came; what grows
 * afterwards comes again with what is new.
 */
export class Outbox {
  #items: ForeignItem[] = [];
  /** Where nodes wait; the draft is an object of our own, made when one grows for the first time. */
  readonly #nodes = new Map<string, { at: number; draft: NodeDraft | undefined }>();
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
      this.#nodes.set(key, { at: this.#items.push({ type: 'node', node }) - 1, draft: undefined });
      return;
    }
    const draft = (waiting.draft ??= this.#draftAt(waiting.at, node));
    for (const block of node.blocks) draft.blocks.push(block);
    const { blocks } = draft;
    Object.assign(draft, node, { blocks });
  }

  retract(conversation: string, keys: readonly string[]): void {
    this.#items.push({ type: 'retract', conversation, keys });
  }

  take(): ForeignItem[] {
    const items = this.#items;
    this.#items = [];
    this.#nodes.clear();
    this.#conversations.clear();
    return items;
  }

  #draftAt(at: number, grown: ForeignNode): NodeDraft {
    const item = this.#items[at];
    const draft = { ...grown, blocks: item?.type === 'node' ? [...item.node.blocks] : [] };
    if (item?.type === 'node') Object.assign(draft, item.node, { blocks: draft.blocks });
    this.#items[at] = { type: 'node', node: draft };
    return draft;
  }
}
