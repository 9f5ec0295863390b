import { cleanText } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { ForeignConversation } from '../foreign/foreign.ts';
import type { Outbox } from '../foreign/outbox.ts';

/** The origins of titles in rising rank; a later title of the same rank wins. */
export type TitleRank = 'opening' | 'summary' | 'generated' | 'given';
const ranks: readonly TitleRank[] = ['opening', 'summary', 'generated', 'given'];

/** The facts about a conversation, collected as its lines come. It is emitted once it has a message, and again whenever a fact is new. */
export class Conversation {
  readonly #outbox: Outbox;
  #id: string | undefined;
  readonly #names = new Set<string>();
  #title: { text: string; rank: TitleRank } | undefined;
  #directory: string | undefined;
  #createdAt: string | undefined;
  #parent: ForeignConversation['parent'];
  readonly #details: PlainObject = {};
  #isTold = false;

  constructor(outbox: Outbox, id?: string) {
    this.#outbox = outbox;
    this.#id = id;
  }

  get id(): string {
    return this.#id ?? '';
  }

  /** Begins with a message whose chain starts at the line of that id. */
  begin(top: string): void {
    if (this.#id === undefined) this.#id = top;
    else if (top !== this.#id) this.addName(top);
    if (!this.#isTold) this.tell();
  }

  addName(name: string): void {
    if (name === this.#id || this.#names.has(name)) return;
    this.#names.add(name);
    this.#changed();
  }

  setTitle(title: string, rank: TitleRank): void {
    const text = cleanText(title);
    if (this.#title !== undefined && ranks.indexOf(rank) < ranks.indexOf(this.#title.rank)) return;
    const isNew = this.#title?.text !== text;
    this.#title = { text, rank };
    if (isNew) this.#changed();
  }

  setParent(conversation: string, call: string): void {
    if (this.#parent?.call === call) return;
    this.#parent = { conversation, call };
    this.#changed();
  }

  get hasParent(): boolean {
    return this.#parent !== undefined;
  }

  /** Notes facts about the conversation; the first line that has a fact wins. */
  note(facts: { directory?: string | undefined; createdAt?: string | undefined; details?: PlainObject }): void {
    let isNew = false;
    if (this.#directory === undefined && facts.directory !== undefined) {
      this.#directory = cleanText(facts.directory);
      isNew = true;
    }
    if (this.#createdAt === undefined && facts.createdAt !== undefined) {
      this.#createdAt = facts.createdAt;
      isNew = true;
    }
    for (const name in facts.details) {
      const value = facts.details[name];
      if (value === undefined || name in this.#details) continue;
      this.#details[name] = typeof value === 'string' ? cleanText(value) : value;
      isNew = true;
    }
    if (isNew) this.#changed();
  }

  tell(): void {
    this.#isTold = true;
    this.#outbox.conversation({
      id: this.id,
      ...(this.#names.size === 0 ? {} : { aliases: [...this.#names].filter((name) => name !== this.#id) }),
      ...(this.#title === undefined ? {} : { title: this.#title.text }),
      ...(this.#directory === undefined ? {} : { directory: this.#directory }),
      ...(this.#createdAt === undefined ? {} : { created_at: this.#createdAt }),
      ...(this.#parent === undefined ? {} : { parent: this.#parent }),
      ...(Object.keys(this.#details).length === 0 ? {} : { details: { ...this.#details } }),
    });
  }

  #changed(): void {
    if (this.#isTold) this.tell();
  }
}
