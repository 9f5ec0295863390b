import { editableText } from '@loom/blocks';
import type { ConversationView } from './conversation-view.ts';
import { withoutTakenOver } from './kept-text.ts';
import type { KeptText, TextKeeper } from './kept-text.ts';
import { SharedText } from './shared-text.ts';
import type { SharedTextOptions } from './shared-text.ts';

interface Parts extends Pick<SharedTextOptions, 'createText' | 'now' | 'newId'> {
  keeper: TextKeeper | undefined;
}

/** A text that an earlier client has left, once its block is known. */
export interface BegunText {
  readonly block: string;
  readonly text: SharedText;
  readonly isGone: boolean;
  readonly before?: string;
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

  /** Blocks that were opened before the conversation was known, with what is known of them. */
  readonly #early = new Map<string, KeptText>();

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
    this.#early.delete(block);
    if (text !== undefined) this.#parts.keeper?.remove(text.id);
    this.#forgetLeft(block);
  }

  /** True while a text is open whose block is not known: without a server, what an earlier client left can be written on. */
  isEarly(block: string): boolean {
    return this.#early.has(block);
  }

  /** Takes in what earlier clients have left. Where one of them had taken over what another left, only its own text counts. */
  restore(kept: readonly KeptText[]): void {
    const left = withoutTakenOver(kept);
    for (const one of kept) if (!left.includes(one)) this.#parts.keeper?.remove(one.id);
    this.#left = [...this.#left, ...left];
  }

  /**
   * Opens the texts that earlier clients have left, as far as their blocks are known, one client after the other. `isGone`:
   * the text no longer exists. `before`: what was shown of it, where that was not the text of the view.
   */
  *begin(view: ConversationView): Generator<BegunText> {
    const { epoch } = view.place.cursor ?? {};
    if (epoch === undefined) return;
    for (const [block, kept] of this.#early) {
      const known = view.block(block);
      const text = this.#texts.get(block);
      if (text !== undefined && known === undefined && !isMissing(view, kept)) continue;
      this.#early.delete(block);
      if (text === undefined) continue;
      if (kept.epoch !== epoch) text.reopen(true);
      const isGone = known === undefined || editableText(known) === undefined;
      if (isGone) this.close(block);
      yield { block, text, isGone, before: text.text ?? '' };
    }
    for (const kept of this.#left) {
      const { block } = kept;
      const known = view.block(block);
      const isLoaded = known !== undefined || isMissing(view, kept);
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

  /** Opens what earlier clients have left before the conversation is known. Returns the blocks: one client's text each. */
  beginEarly(): string[] {
    const begun: string[] = [];
    for (const kept of this.#left) {
      const { block } = kept;
      const text = this.#texts.has(block) ? undefined : this.#read(kept);
      if (text === undefined) continue;
      this.#left = this.#left.filter((other) => other !== kept);
      this.#texts.set(block, text);
      this.#restored.set(block, kept.id);
      this.#unopened.add(block);
      this.#early.set(block, kept);
      begun.push(block);
    }
    return begun;
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
    // Nothing is new until it is written on: it is kept as it was left.
    if (this.#early.has(block) && !text.hasLoose) return;
    const { keeper } = this.#parts;
    const { node, epoch } = this.#early.get(block) ?? {
      node: view.nodeOf(block)?.id ?? '',
      epoch: view.place.cursor?.epoch ?? '',
    };
    if (keeper !== undefined) text.keep(keeper, { node, epoch });
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

/** True if a view has everything that could hold the block of a text, and does not have it. */
function isMissing({ isOutlined, outline, nodes }: ConversationView, { node }: KeptText): boolean {
  return isOutlined && outline.has(node) === nodes.has(node);
}
