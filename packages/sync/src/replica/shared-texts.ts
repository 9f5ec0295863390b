import { editableText } from '@loom/blocks';
import type { ConversationView } from './conversation-view.ts';
import { withoutTakenOver } from './kept-text.ts';
import type { KeptText, TextKeeper } from './kept-text.ts';
import { SharedText } from './shared-text.ts';
import type { SharedTextOptions } from './shared-text.ts';

interface Parts extends Pick<SharedTextOptions, 'createText' | 'now' | 'newId'> {
  keeper: TextKeeper | undefined;
}

/** The blocks that are edited along at a client, and what earlier clients have typed in some and could not save. */
export class SharedTexts {
  readonly #parts: Parts;
  readonly #texts = new Map<string, SharedText>();
  /** The texts that earlier clients have left, until their blocks are known. */
  #left: readonly KeptText[] = [];
  /** Blocks with what earlier clients have left, by the id that it is kept under, until it is saved. */
  readonly #restored = new Map<string, string>();
  /** Those of them that were not opened here: they are closed then. */
  readonly #unopened = new Set<string>();

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
    this.#unopened.delete(block);
    if (this.#texts.has(block)) return undefined;
    const text = new SharedText({ ...this.#parts, block });
    this.#texts.set(block, text);
    return text;
  }

  /** Closes a text and forgets its unsaved typing. */
  close(block: string): void {
    const text = this.#texts.get(block);
    this.#texts.delete(block);
    this.#unopened.delete(block);
    if (text !== undefined) this.#parts.keeper?.remove(text.id);
    this.#forgetLeft(block);
  }

  /** Takes in what earlier clients have left. Where one of them had taken over what another left, only its own text counts. */
  restore(kept: readonly KeptText[]): void {
    const left = withoutTakenOver(kept);
    for (const one of kept) if (!left.includes(one)) this.#parts.keeper?.remove(one.id);
    this.#left = [...this.#left, ...left];
  }

  /**
   * Opens the texts that earlier clients have left, as far as their blocks are known, one client after the other. `isGone`:
   * the text no longer exists.
   */
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
        this.#parts.keeper?.remove(kept.id);
      } else {
        this.#texts.set(block, text);
        this.#restored.set(block, kept.id);
        this.#unopened.add(block);
      }
      yield { block, text, isGone };
    }
  }

  /** `undefined` for a document that cannot be read. It stays where it is kept: another version may know what to do with it. */
  #read(kept: KeptText): SharedText | undefined {
    try {
      return new SharedText({ ...this.#parts, block: kept.block, kept });
    } catch {
      return undefined;
    }
  }

  /** Keeps the latest state of the typing in a block. */
  note(block: string, view: ConversationView): void {
    const text = this.#texts.get(block);
    if (text === undefined) return;
    const { keeper } = this.#parts;
    const place = { node: view.nodeOf(block)?.id ?? '', epoch: view.place.cursor?.epoch ?? '' };
    if (keeper !== undefined) text.keep(keeper, place);
    if (text.isUnsaved) return;
    this.#forgetLeft(block);
    if (this.#unopened.has(block)) this.close(block);
  }

  /** Forgets what earlier clients have left in a block: it is saved, or was handed back. */
  #forgetLeft(block: string): void {
    const id = this.#restored.get(block);
    this.#restored.delete(block);
    if (id !== undefined) this.#parts.keeper?.remove(id);
  }
}
