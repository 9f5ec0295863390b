import { mergeText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import type { ClientSeed, ClientText } from '@loom/blocks/document';
import { EditQueue } from './edit-queue.ts';
import type { PendingEdit } from './edit-queue.ts';
import type { OpenedFrame, UpdateFrame } from '../frames.ts';
import type { TextSteps } from './text-steps.ts';

/** Makes the document of a text; handed in, so that clients that never edit need not load what it takes. */
export type CreateText = (client: number, seed: ClientSeed) => ClientText;

export interface SharedTextOptions {
  block: string;
  /** What an earlier client could not save. */
  kept?: KeptText;
  createText: CreateText;
  now: () => number;
  newId: () => string;
}

/** What was typed in a block and not confirmed, as it is kept beyond the life of a client. */
export interface KeptText {
  /** Of this client's work on the block: several may have worked on it. */
  readonly id: string;
  readonly block: string;
  /** Where the block was. */
  readonly node: string;
  /** The epoch that the edits may be sent in; in any other they are merged. Empty: in none. */
  readonly epoch: string;
  /** The version that the document began with. */
  readonly seed: number;
  /** The whole document, in base64, with the edits. */
  readonly document: string;
  readonly edits: readonly PendingEdit[];
}

/**
 * One block that is edited along, at the client: its document, what was typed and not answered yet, and what to do when
 * the document does not fit the server's any more. Then it is opened again. If the text there is still the same one, what
 * was typed is put on top of it as it is; if not, as a merge of texts.
 */
export class SharedText {
  readonly #queue: EditQueue;
  readonly #options: SharedTextOptions;
  #text: ClientText | undefined;
  #seed = 0;
  #version = 0;
  /** The request to open it that is not answered yet. */
  #opening: string | undefined;
  #isOpeningSent = false;
  /** The answer to it, while the server has still to say which of the edits it took before the text was replaced. */
  #answer: OpenedFrame | undefined;
  /** What happened since it was sent. */
  #meanwhile: TextSteps[] = [];
  /** The server's text is another one than that which was edited here: what was typed must not be sent as it is. */
  #isForeign = false;
  /** Its client id may be in use elsewhere: nothing is typed before it was opened again. */
  #isRestored = false;
  readonly #id: string;

  constructor(options: SharedTextOptions) {
    const { block, kept, createText, newId } = options;
    this.#options = options;
    this.#opening = newId();
    this.#id = kept?.id ?? this.#opening;
    this.#queue = new EditQueue(block, kept?.edits);
    if (kept === undefined) return;
    this.#text = createText(kept.edits[0]?.client ?? 0, { text: '', update: kept.document });
    this.#seed = kept.seed;
    this.#isRestored = true;
  }

  get id(): string {
    return this.#id;
  }

  /** Whether something can be typed. */
  get isOpen(): boolean {
    return this.#text !== undefined && !this.#isRestored;
  }

  /** What to keep of it, if something was typed that the server may not have. */
  keep({ node, epoch }: Pick<KeptText, 'node' | 'epoch'>): KeptText | undefined {
    if (this.#text === undefined || this.#queue.isEmpty) return undefined;
    const { block } = this.#options;
    const place = { id: this.#id, block, node, epoch: this.#isForeign ? '' : epoch, seed: this.#seed };
    return { ...place, document: this.#text.encode(), edits: this.#queue.edits };
  }

  get version(): number {
    return this.#version;
  }

  /** What the user sees: everything that was typed here included. */
  get text(): string | undefined {
    return this.#text?.text;
  }

  /** Whether something was typed that the server may not have. */
  get isUnsaved(): boolean {
    return !this.#queue.isEmpty;
  }

  /** The text without what was typed here and not confirmed. */
  get confirmedText(): string {
    return this.#text?.without(this.#queue.edits.map(({ update }) => update)) ?? '';
  }

  edit(splices: readonly TextSplice[]): void {
    const { now, newId } = this.#options;
    const changes = splices.filter(({ delete: count, insert }) => count > 0 || insert !== '');
    if (this.#text === undefined || this.#isRestored) throw new Error('this block is not open yet; wait until it is');
    if (changes.length === 0) return;
    const update = this.#text.edit(changes);
    this.#queue.add({ id: newId(), client: this.#text.client, seed: this.#seed, update }, now());
  }

  /** The request to open it, if it is to be sent now. */
  takeOpening(): string | undefined {
    if (this.#isOpeningSent) return undefined;
    this.#isOpeningSent = true;
    return this.#opening;
  }

  /** What was typed, if it is to be sent now. */
  takeEdits(): UpdateFrame | undefined {
    return this.#isForeign ? undefined : this.#queue.take();
  }

  /** The connection is new: nothing that was under way will be answered. */
  rewind(): void {
    this.#queue.rewind();
    this.#answer = undefined;
    this.#isOpeningSent = this.#opening === undefined;
  }

  /** A change of the conversation that says something of this text. */
  take(change: TextSteps): void {
    if (this.#opening !== undefined) this.#meanwhile.push(change);
    else this.#apply(change);
  }

  /** The document has missed something. `isForeign`: it is of another text than the server's. */
  reopen(isForeign: boolean): void {
    if (isForeign) this.#isForeign = true;
    if (this.#opening === undefined || isForeign) this.#ask();
  }

  /** What was typed cannot be kept: the text begins again with what the server has. */
  discard(): void {
    this.#queue.clear();
    this.#text = undefined;
    this.#isForeign = false;
    this.#isRestored = false;
    this.#ask();
  }

  isOpeningBy(id: string): boolean {
    return this.#opening === id;
  }

  has(id: string): boolean {
    return this.#queue.has(id);
  }

  /** The server has an edit. False if it is not one of its own. */
  acknowledge(id: string): boolean {
    const isMine = this.#queue.acknowledge(id);
    if (isMine && this.#answer !== undefined) this.opened(this.#answer);
    return isMine;
  }

  /** The text was replaced before the server had seen an edit; what it did not take goes into the new one. */
  refuse(): void {
    const answer = this.#answer;
    this.#isForeign = true;
    if (answer !== undefined) this.opened(answer);
    else if (this.#opening === undefined) this.#ask();
  }

  opened(frame: OpenedFrame): void {
    const { client, version, since, ...seed } = frame;
    const before = this.#text;
    const isSame = !this.#isForeign && this.#seed >= since;
    // The server takes no more edits of the text before; which ones it took, its answers will tell.
    const isUndecided = before !== undefined && !isSame && !this.#isForeign && !this.#queue.isEmpty;
    this.#answer = isUndecided ? frame : undefined;
    if (isUndecided) return;
    const confirmed = this.confirmedText;
    const text = this.#options.createText(client, seed);
    this.#opening = undefined;
    this.#isOpeningSent = true;
    this.#isForeign = false;
    this.#isRestored = false;
    this.#text = text;
    this.#seed = version;
    this.#version = version;
    if (before !== undefined && isSame) {
      for (const { update } of this.#queue.edits) text.restore(update);
    } else if (before !== undefined) {
      this.#queue.clear();
      this.edit(mergeText(confirmed, seed.text, before.text));
    }
    const meanwhile = this.#meanwhile;
    this.#meanwhile = [];
    for (const change of meanwhile) this.take(change);
  }

  #ask(): void {
    this.#opening = this.#options.newId();
    this.#isOpeningSent = false;
    this.#answer = undefined;
    this.#meanwhile = [];
  }

  #apply({ version, steps }: TextSteps): void {
    if (version <= this.#version) return;
    for (const step of steps) {
      // What comes after it in this change is in what will be opened.
      if (step.type === 'replaced' || !this.#follow(step)) return this.reopen(false);
    }
    this.#version = version;
  }

  /** False if only the server knows how the document has changed. */
  #follow({ splices, isAppend, update }: Extract<TextSteps['steps'][number], { type: 'edited' }>): boolean {
    const text = this.#text;
    if (text === undefined) return false;
    if (update !== undefined) text.apply(update);
    else if (splices.length > 0) return isAppend && splices.every(({ insert }) => text.grow(insert));
    return true;
  }
}
