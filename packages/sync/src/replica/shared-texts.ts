import { editableText } from '@loom/blocks';
import type { ConversationView } from './conversation-view.ts';
import { SharedText } from './shared-text.ts';
import type { KeptText, SharedTextOptions } from './shared-text.ts';

/** Keeps what was typed and not confirmed, for a client that comes after this one. */
export interface TextKeeper {
  put(kept: KeptText): void;
  remove(id: string): void;
}

interface Parts extends Pick<SharedTextOptions, 'createText' | 'now' | 'newId'> {
  keeper: TextKeeper | undefined;
}

/** The blocks that are edited along at a client, and what earlier clients have typed in some and could not save. */
export class SharedTexts {
  readonly #parts: Parts;
  readonly #texts = new Map<string, SharedText>();
  /** What earlier clients have left, until its block is known. */
  #left: readonly KeptText[] = [];
  /** Blocks that are open only until what earlier clients have left is saved. */
  readonly #restored = new Set<string>();
  readonly #kept = new Set<string>();

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  get blocks(): Iterable<string> {
    return this.#texts.keys();
  }

  /** The blocks with something typed that the server has not confirmed. */
  get unsaved(): string[] {
    const here = [...this].filter(([, text]) => text.isUnsaved).map(([block]) => block);
    return [...new Set([...here, ...this.#left.map(({ block }) => block)])];
  }

  [Symbol.iterator](): MapIterator<[string, SharedText]> {
    return this.#texts[Symbol.iterator]();
  }

  get(block: string): SharedText | undefined {
    return this.#texts.get(block);
  }

  /** The text of a block, if it was not open. */
  open(block: string): SharedText | undefined {
    this.#restored.delete(block);
    if (this.#texts.has(block)) return undefined;
    const text = new SharedText({ ...this.#parts, block });
    this.#texts.set(block, text);
    return text;
  }

  /** What was typed in it is not kept any more. */
  close(block: string): void {
    const text = this.#texts.get(block);
    this.#texts.delete(block);
    this.#restored.delete(block);
    if (text !== undefined) this.#forget(text.id);
  }

  /** Takes in what earlier clients have left. */
  restore(kept: readonly KeptText[]): void {
    for (const { id } of kept) this.#kept.add(id);
    this.#left = [...this.#left, ...kept];
  }

  /** Opens what earlier clients have left, as far as its blocks are known, one client after the other. `isGone`: there is no such text any more. */
  *begin(view: ConversationView): Generator<{ block: string; text: SharedText; isGone: boolean }> {
    const { epoch } = view.place.cursor ?? {};
    for (const kept of epoch === undefined ? [] : this.#left) {
      const { block, node } = kept;
      const known = view.block(block);
      const isLoaded = known !== undefined || (view.isOutlined && view.outline.has(node) === view.nodes.has(node));
      if (this.#texts.has(block) || !isLoaded) continue;
      this.#left = this.#left.filter((other) => other !== kept);
      const text = this.#read(kept);
      if (text === undefined) continue;
      const isGone = known === undefined || editableText(known) === undefined;
      if (kept.epoch !== epoch) text.reopen(true);
      if (isGone) {
        this.#forget(kept.id);
      } else {
        this.#texts.set(block, text);
        this.#restored.add(block);
      }
      yield { block, text, isGone };
    }
  }

  /** `undefined` for a document that cannot be read. It stays where it is kept: another version may know what to do with it. */
  #read(kept: KeptText): SharedText | undefined {
    try {
      return new SharedText({ ...this.#parts, block: kept.block, kept });
    } catch {
      this.#kept.delete(kept.id);
      return undefined;
    }
  }

  /** Something happened to what was typed in a block. */
  note(block: string, view: ConversationView): void {
    const text = this.#texts.get(block);
    if (text === undefined) return;
    const kept = text.keep({ node: view.nodeOf(block)?.id ?? '', epoch: view.place.cursor?.epoch ?? '' });
    if (kept === undefined) this.#forget(text.id);
    else if (this.#parts.keeper !== undefined) {
      this.#kept.add(kept.id);
      this.#parts.keeper.put(kept);
    }
    if (kept === undefined && this.#restored.delete(block)) this.#texts.delete(block);
  }

  #forget(id: string): void {
    if (this.#kept.delete(id)) this.#parts.keeper?.remove(id);
  }
}
