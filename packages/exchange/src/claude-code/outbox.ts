import type { ForeignBlock, ForeignConversation, ForeignItem, ForeignNode } from '../foreign/foreign.ts';

/** A node that may still grow before it is taken. */
export type NodeDraft = { -readonly [Field in keyof ForeignNode]: ForeignNode[Field] } & { blocks: ForeignBlock[] };

/** What was found since it was last emptied, in order; what grows in between is one item. */
export class Outbox {
  #items: ForeignItem[] = [];
  readonly #nodes = new Map<string, NodeDraft>();
  readonly #conversations = new Map<string, number>();

  node(draft: NodeDraft): void {
    const key = `${draft.conversation}\n${draft.id}`;
    const waiting = this.#nodes.get(key);
    if (waiting === undefined) {
      this.#nodes.set(key, draft);
      this.#items.push({ type: 'node', node: draft });
      return;
    }
    const { blocks, ...fields } = draft;
    waiting.blocks.push(...blocks);
    Object.assign(waiting, fields);
  }

  conversation(conversation: ForeignConversation): void {
    const at = this.#conversations.get(conversation.id);
    const item: ForeignItem = { type: 'conversation', conversation };
    if (at !== undefined) this.#items[at] = item;
    else this.#conversations.set(conversation.id, this.#items.push(item) - 1);
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
}
