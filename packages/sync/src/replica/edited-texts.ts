import { diffSplices, editableText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import type { Refusal } from '@loom/kernel';
import type { ChangeFrame, ClientFrame, OpenedFrame } from '../frames.ts';
import type { ConversationView } from './conversation-view.ts';
import type { KeptText, TextKeeper } from './kept-text.ts';
import type { ReplicaOptions, TextAuthor, TextChange } from './replica-options.ts';
import type { CreateText, SharedText } from './shared-text.ts';
import { SharedTexts } from './shared-texts.ts';
import type { TextSteps } from './text-steps.ts';

/** The replica that texts are edited in. */
export interface TextsHost {
  readonly options: Pick<ReplicaOptions, 'clock' | 'ids' | 'onLost'>;
  readonly keeper: TextKeeper | undefined;
  /** Returns the view on display. */
  view(): ConversationView;
  isLive(): boolean;
  /** The agent that edits, once the server has said so. */
  agent(): string | undefined;
  post(frame: ClientFrame): void;
  tell(what: TextChange): void;
}

/**
 * The texts of a conversation that are edited at this client: sends the typing, takes in the server's answers, hands back
 * edits that cannot be kept, and reports the splices by which each text changes.
 */
export class EditedTexts {
  readonly #host: TextsHost;
  readonly #texts: SharedTexts;

  constructor(createText: CreateText, host: TextsHost) {
    const { keeper, options } = host;
    const { clock, ids } = options;
    this.#host = host;
    this.#texts = new SharedTexts({ createText, keeper, now: () => clock.now(), newId: () => ids.next() });
  }

  get blocks(): Iterable<string> {
    return this.#texts.blocks;
  }

  get unsaved(): string[] {
    return this.#texts.unsaved;
  }

  /** Returns the number of edits in a block that are not confirmed. */
  unsavedUnits(block: string): number {
    return this.#texts.get(block)?.unsavedUnits ?? 0;
  }

  /** Returns the text of a block, with the typing here. */
  text(block: string): string | undefined {
    const known = this.#host.view().block(block);
    return this.#texts.get(block)?.text ?? (known && editableText(known));
  }

  isOpen(block: string): boolean {
    return this.#texts.get(block)?.isOpen === true;
  }

  open(block: string): void {
    const text = this.#texts.open(block);
    if (text !== undefined) this.#flush(block, text);
  }

  /** False, and nothing happens, while something typed in it is not saved. */
  close(block: string): boolean {
    if (this.#texts.get(block)?.isUnsaved === true) return false;
    this.#texts.close(block);
    return true;
  }

  /** Edits, undoes or redoes something in a block that is open. */
  work(block: string, work: (text: SharedText) => TextSplice[]): void {
    const text = this.#texts.get(block);
    if (text === undefined) throw new Error(`the block ${block} is not open; open it first`);
    const splices = work(text);
    this.#flush(block, text);
    this.#tellOwn(block, splices);
  }

  restore(kept: readonly KeptText[]): void {
    this.#texts.restore(kept);
  }

  /** Opens what earlier replicas have left. */
  begin(): void {
    const view = this.#host.view();
    if (view.place.cursor === undefined) {
      // Without a server, too, a reader who comes back goes on with what was typed.
      for (const block of this.#texts.beginEarly()) this.#tellDifference(block, '');
      return;
    }
    for (const { block, text, isGone, before } of this.#texts.begin(view)) {
      if (isGone) this.#handBack(block, text, blockGone(block));
      else this.#flush(block, text);
      const known = view.block(block);
      this.#tellDifference(block, before ?? (known && editableText(known)) ?? '');
    }
  }

  /** Goes live: the replica is connected and knows everything that the server had, so typing from meanwhile is sent. */
  goLive(): void {
    for (const [block, text] of this.#texts) {
      if (this.#texts.isEarly(block)) continue;
      text.rewind();
      this.#flush(block, text);
    }
  }

  /** Returns the texts of the blocks: all of them, or those that only show what the server is known to have. */
  shown(which: 'all' | 'unopened'): Map<string, string> {
    const meant = [...this.#texts].filter(([, text]) => which === 'all' || !text.hasDocument);
    return new Map(meant.map(([block]) => [block, this.text(block) ?? '']));
  }

  /**
   * Opens the texts again after a snapshot: the changes that the documents have missed are not known. `shown`: the former
   * texts of the blocks.
   */
  reopen(isForeign: boolean, shown: ReadonlyMap<string, string>): void {
    for (const [block, text] of this.#texts) {
      if (this.#texts.isEarly(block)) continue;
      const known = this.#host.view().block(block);
      if (known === undefined || editableText(known) === undefined) {
        this.#giveUp(block, text, blockGone(block), shown.get(block));
      } else if (isForeign || known.version !== text.version) {
        text.reopen(isForeign);
      }
    }
  }

  /** Gives up the blocks that are gone. `shown`: what those said before that have no document. */
  dropGone(shown: ReadonlyMap<string, string>): void {
    for (const [block, text] of this.#texts) {
      if (this.#texts.isEarly(block)) continue;
      if (this.#host.view().block(block) === undefined) this.#giveUp(block, text, blockGone(block), shown.get(block));
    }
  }

  /** Follows the effect of a change on a block. Returns the changes to report. */
  follow(block: string, steps: TextSteps, { agent }: Pick<ChangeFrame, 'agent'>): TextChange[] {
    const text = this.#texts.get(block);
    if (text === undefined) return [];
    // An undo of this agent, while one of this client is on its way, is taken for that one.
    const by = { agent, isHere: agent === this.#host.agent() && text.isFlipping };
    const splices = text.take(steps);
    this.#flush(block, text);
    return splices.length === 0 ? [] : [{ type: 'text', block, splices, by }];
  }

  opened(frame: OpenedFrame): void {
    const text = this.#texts.get(frame.block);
    if (text === undefined || !text.isOpeningBy(frame.id)) return;
    const before = this.text(frame.block) ?? '';
    text.opened(frame);
    this.#flush(frame.block, text);
    this.#tellDifference(frame.block, before);
  }

  acknowledged(id: string): void {
    for (const [block, text] of this.#texts) {
      if (!text.has(id)) continue;
      // A key is confirmed far more often than a text takes the place of another: only then are texts compared.
      const before = text.isUndecided ? (text.text ?? '') : undefined;
      text.acknowledge(id);
      this.#flush(block, text);
      return before === undefined ? this.#tellOwn(block, []) : this.#tellDifference(block, before);
    }
  }

  refused(id: string, refusal: Refusal): void {
    for (const [block, text] of this.#texts) {
      if (text.isOpeningBy(id)) return this.#giveUp(block, text, refusal);
      if (!text.has(id)) continue;
      const before = text.text ?? '';
      if (refusal.reason === 'text-replaced') {
        text.refuse();
      } else if (!text.dropFlip(id)) {
        this.#handBack(block, text, refusal);
        text.discard();
      }
      this.#flush(block, text);
      return this.#tellDifference(block, before);
    }
  }

  /** Keeps the latest changes of a block. */
  note(block: string): void {
    this.#texts.note(block, this.#host.view());
  }

  /** Tells how texts have become others than before, for blocks that are still edited here. */
  tellDifferences(before: ReadonlyMap<string, string>): void {
    for (const [block, text] of before) {
      if (this.#texts.get(block) !== undefined && this.text(block) !== text) this.#tellDifference(block, text);
    }
  }

  /** Gives up a block that can no longer be edited. */
  #giveUp(block: string, text: SharedText, refusal: Refusal, before = this.text(block) ?? ''): void {
    this.#texts.close(block);
    this.#handBack(block, text, refusal);
    this.#tellDifference(block, before);
  }

  #handBack(block: string, text: SharedText, refusal: Refusal): void {
    const { text: typed, confirmedText: base } = text;
    if (text.hasTyped && typed !== undefined) this.#host.options.onLost({ block, base, text: typed, refusal });
  }

  /** Sends what a text has to say now. */
  #flush(block: string, text: SharedText): void {
    if (!this.#host.isLive() || this.#texts.isEarly(block)) return;
    const opening = text.takeOpening();
    if (opening !== undefined) this.#host.post({ type: 'open', id: opening, block });
    const frame = text.takeEdits();
    if (frame !== undefined) this.#host.post(frame);
  }

  #tellOwn(block: string, splices: readonly TextSplice[]): void {
    const agent = this.#host.agent();
    const by: TextAuthor = agent === undefined ? { isHere: true } : { agent, isHere: true };
    this.#host.tell({ type: 'text', block, splices, by });
  }

  /** Tells how a text has become another one than before, where that is not known from edits. */
  #tellDifference(block: string, before: string): void {
    const splices = diffSplices(before, this.text(block) ?? '');
    this.#host.tell({ type: 'text', block, splices, by: { isHere: false } });
  }
}

function blockGone(block: string): Refusal {
  return { reason: 'block-not-found', block };
}
