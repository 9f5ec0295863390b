import { cleanText, diffSplices, mergeSplices, mergeText } from '@loom/blocks';
import type { TextSplice } from '@loom/blocks';
import type { ClientSeed, ClientText } from '@loom/blocks/document';
import { EditQueue, isEdit } from './edit-queue.ts';
import { inParts } from './edit-parts.ts';
import type { PendingEdit, PendingWork } from './edit-queue.ts';
import type { OpenedFrame, UpdateFrame } from '../frames.ts';
import { pendingWork, replaySteps, TextRecord } from './kept-text.ts';
import type { KeptText, TextKeeper } from './kept-text.ts';
import type { TextSteps } from './text-steps.ts';

/** Makes the document of a text; handed in, so that clients that never edit need not load the editor. */
export type CreateText = (client: number, seed: ClientSeed) => ClientText;

export interface SharedTextOptions {
  block: string;
  /** The edits that an earlier client could not save. */
  kept?: KeptText;
  createText: CreateText;
  now: () => number;
  newId: () => string;
}

/** A unit that was taken back: edits that were not sent, or an undo that the server was asked for, by its id. */
type TakenBack = { readonly edits: PendingEdit[] } | { readonly undo: string };

/**
 * One block that is edited along, at the client: its document, the unanswered typing, and the recovery when the document no
 * longer fits the server's. Then it is opened again. If the text there is still the same one, the typing is put on top of it
 * as it is; if not, as a merge of texts.
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
  /** The steps since it was sent. */
  #meanwhile: TextSteps[] = [];
  /** True if the server's text is another one than that which was edited here: the typing must not be sent as it is. */
  #isForeign = false;
  /** It was left by an earlier client, and the server has not opened it again: it has no id that edits could be sent under. */
  #isRestored = false;
  /** The text that was typed meanwhile: it is merged as text, once the server has opened it. */
  readonly #loose: EditQueue;
  /** The units that `redo` brings back, the next one last. */
  #takenBack: TakenBack[] = [];
  readonly #record: TextRecord;
  readonly #id: string;
  /** The work of earlier clients that it began with. */
  readonly #holds: readonly string[];

  constructor(options: SharedTextOptions) {
    const { block, kept, createText, newId } = options;
    this.#options = options;
    this.#id = newId();
    this.#opening = this.#id;
    this.#record = new TextRecord(this.#id);
    const left = kept === undefined ? [] : pendingWork(kept);
    this.#queue = new EditQueue(
      block,
      left.filter((work) => !isLoose(work)),
    );
    this.#loose = new EditQueue(block, left.filter(isLoose));
    this.#holds = [...(kept?.holds ?? []), ...left.map(({ id }) => id)];
    if (kept === undefined) return;
    const { document: update, growing, steps } = kept;
    // Nothing is sent under this id: the document gets another one before that.
    this.#text = createText(0, { text: '', update, ...(growing === undefined ? {} : { growing }) });
    replaySteps(this.#text, steps);
    this.#seed = kept.seed;
    this.#isRestored = true;
  }

  get id(): string {
    return this.#id;
  }

  /** True if text can be typed. */
  get isOpen(): boolean {
    return this.#text !== undefined;
  }

  /** True if it has a document; until then the block shows what the server is known to have. */
  get hasDocument(): boolean {
    return this.#text !== undefined;
  }

  /** Gives a keeper the typing that the server may not have, or its latest steps. */
  keep(keeper: TextKeeper, { node, epoch: now }: Pick<KeptText, 'node' | 'epoch'>): void {
    const text = this.#text;
    if (text === undefined) return;
    if (!this.isUnsaved) return this.#record.settle(keeper);
    const epoch = this.#isForeign ? '' : now;
    this.#record.write(keeper, { node, epoch }, () => {
      const { growing } = text;
      const place = { id: this.#id, block: this.#options.block, node, epoch, seed: this.#seed };
      const holds = this.#holds.length === 0 ? {} : { holds: this.#holds };
      const kept = { ...place, document: text.encode(), edits: [...this.#queue.work, ...this.#loose.work], ...holds };
      return growing === undefined ? kept : { ...kept, growing };
    });
  }

  get version(): number {
    return this.#version;
  }

  /** The text that the user sees: everything that was typed here included. */
  get text(): string | undefined {
    return this.#text?.text;
  }

  /** True if something was typed, undone or redone that the server may not have. */
  get isUnsaved(): boolean {
    return !this.#queue.isEmpty || !this.#loose.isEmpty;
  }

  /** The number of edits, each undone at once, that the server may not have. */
  get unsavedUnits(): number {
    return this.#queue.units + this.#loose.units;
  }

  /** True if something was typed that the server may not have. */
  get hasTyped(): boolean {
    return this.#queue.edits.length + this.#loose.edits.length > 0;
  }

  /** True if something was typed before the server has opened it again. */
  get hasLoose(): boolean {
    return !this.#loose.isEmpty;
  }

  /** True if the server was asked for an undo or a redo and has not answered. */
  get isFlipping(): boolean {
    return this.#queue.isFlipping;
  }

  /** True if another text takes the place of this one as soon as the server has said which edits it took. */
  get isUndecided(): boolean {
    return this.#answer !== undefined;
  }

  /** The text without unconfirmed typing. */
  get confirmedText(): string {
    return this.#text?.without([...this.#queue.edits, ...this.#loose.edits].map(({ update }) => update)) ?? '';
  }

  /**
   * Edits the text. Returns the splices made: characters that no store can hold are replaced. `isUnit`: it is undone apart
   * from the typing before and after.
   */
  edit(splices: readonly TextSplice[], isUnit = false): TextSplice[] {
    const changes = mergeSplices(splices.filter(({ delete: count, insert }) => count > 0 || insert !== ''));
    if (changes.length === 0) return [];
    const queue = this.#isRestored ? this.#loose : this.#queue;
    if (isUnit) queue.endBurst();
    for (const part of inParts(changes)) this.#edit(part);
    if (isUnit) queue.endBurst();
    return changes.map((change) => ({ ...change, insert: cleanText(change.insert) }));
  }

  #edit(changes: readonly TextSplice[]): void {
    const { now, newId } = this.#options;
    const text = this.#editable();
    const { update } = text.edit(changes);
    const typed = { id: newId(), client: text.client, seed: this.#seed, update };
    const edit = this.#isRestored ? this.#loose.add({ ...typed, isLoose: true }, now()) : this.#queue.add(typed, now());
    this.#takenBack = [];
    this.#record.note({ did: edit }, update.length + stepSize);
  }

  /**
   * Takes back the last burst that was not sent. If there is none, or `isLive`, the server is asked to take back the agent's
   * last unit, behind everything typed so far; the text changes when that comes back.
   */
  undo(isLive: boolean): TextSplice[] {
    const text = this.#editable();
    const edits = this.#isRestored
      ? this.#loose.takeBack(text.client)
      : isLive
        ? []
        : this.#queue.takeBack(text.client);
    if (edits.length === 0) {
      // There is no id yet that the server could be asked under.
      if (this.#isRestored) return [];
      this.#takenBack.push({ undo: this.#flip('undo') });
      return [];
    }
    this.#takenBack.push({ edits });
    this.#record.reset();
    return text.retract(edits.map(({ update }) => update));
  }

  /** Brings back what `undo` has taken back last and not brought back, unless something was typed since. */
  redo(): TextSplice[] {
    const text = this.#editable();
    const last = this.#takenBack.pop();
    if (last === undefined || !('edits' in last)) {
      if (this.#isRestored) return [];
      this.#flip('redo');
      return [];
    }
    (this.#isRestored ? this.#loose : this.#queue).putBack(last.edits);
    this.#record.reset();
    return text.reinstate(last.edits.map(({ update }) => update));
  }

  /** The request to open it, if it is to be sent now. */
  takeOpening(): string | undefined {
    if (this.#isOpeningSent) return undefined;
    this.#isOpeningSent = true;
    return this.#opening;
  }

  /** Returns the typed text, if it is to be sent now. */
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
  take(change: TextSteps): TextSplice[] {
    if (this.#opening === undefined) return this.#apply(change);
    this.#meanwhile.push(change);
    return [];
  }

  /** The document has missed something. `isForeign`: it is of another text than the server's. */
  reopen(isForeign: boolean): void {
    if (isForeign) this.#isForeign = true;
    if (this.#opening === undefined || isForeign) this.#ask();
  }

  /** Discards typing that cannot be kept: the text begins again with what the server has. */
  discard(): void {
    this.#forgetWork();
    this.#loose.clear();
    this.#text = undefined;
    this.#isForeign = false;
    this.#isRestored = false;
    this.#ask();
  }

  isOpeningBy(id: string): boolean {
    return this.#opening === id;
  }

  has(id: string): boolean {
    return this.#queue.find(id) !== undefined;
  }

  /** Notes that the server has an edit. False if it is not one of this text's. */
  acknowledge(id: string): boolean {
    const isMine = this.#queue.acknowledge(id);
    if (!isMine) return false;
    this.#record.note({ confirmed: id }, stepSize);
    if (this.#answer !== undefined) this.opened(this.#answer);
    if (this.#queue.isEmpty && !this.#takenBack.some((taken) => 'edits' in taken)) this.#text?.settle();
    return true;
  }

  /** Drops an undo or a redo that had nothing to do or cannot be done. False if the request was neither. */
  dropFlip(id: string): boolean {
    const work = this.#queue.find(id);
    if (work === undefined || isEdit(work)) return false;
    this.#takenBack = this.#takenBack.filter((taken) => !('undo' in taken) || taken.undo !== id);
    // The server has not looked at the frames sent behind it.
    this.#queue.rewind();
    return this.acknowledge(id);
  }

  /**
   * Notes that the text was replaced before the server had seen an edit; the edits that it did not take go into the new one.
   */
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
    // The server takes no more edits of the text before; its answers will tell which ones it took.
    const isUndecided = before !== undefined && !isSame && !this.#isForeign && !this.#queue.isEmpty;
    this.#answer = isUndecided ? frame : undefined;
    if (isUndecided) return;
    const confirmed = this.confirmedText;
    const loose = this.#loose.edits.map(({ update }) => update);
    const [now, early] = [before?.text ?? '', loose.length === 0 ? undefined : before?.without(loose)];
    const text = this.#options.createText(client, seed);
    this.#opening = undefined;
    this.#isOpeningSent = true;
    this.#isForeign = false;
    this.#isRestored = false;
    this.#text = text;
    this.#seed = version;
    this.#version = version;
    this.#takenBack = [];
    this.#record.reset();
    if (before !== undefined && isSame) {
      for (const { update } of this.#queue.edits) text.restore(update);
    } else if (before !== undefined) {
      this.#forgetWork();
      this.edit(mergeText(confirmed, seed.text, early ?? now));
    }
    this.#loose.clear();
    if (early !== undefined) this.edit(mergeText(early, text.text, now));
    const meanwhile = this.#meanwhile;
    this.#meanwhile = [];
    for (const change of meanwhile) this.take(change);
  }

  #editable(): ClientText {
    if (this.#text === undefined) throw new Error('this block is not open yet; wait until it is');
    return this.#text;
  }

  #flip(flip: 'undo' | 'redo'): string {
    const id = this.#options.newId();
    const work = { id, client: this.#editable().client, seed: this.#seed, flip };
    this.#queue.addFlip(work);
    this.#record.note({ did: work }, stepSize);
    return id;
  }

  /** Forgets unanswered work: an undo of another text would take back something else there. */
  #forgetWork(): void {
    this.#queue.clear();
    this.#takenBack = [];
    this.#record.reset();
  }

  #ask(): void {
    this.#opening = this.#options.newId();
    this.#isOpeningSent = false;
    this.#answer = undefined;
    this.#meanwhile = [];
  }

  #apply({ version, steps }: TextSteps): TextSplice[] {
    if (version <= this.#version) return [];
    // Only what several steps have done together has to be found by comparing.
    const before = steps.length > 1 ? this.text : undefined;
    let splices: TextSplice[] = [];
    for (const step of steps) {
      const done = step.type === 'replaced' ? undefined : this.#follow(step);
      if (done === undefined) {
        // Later steps of this change are in the text that will be opened.
        this.reopen(false);
        break;
      }
      splices = done;
    }
    if (this.#opening === undefined) this.#version = version;
    return before === undefined ? splices : diffSplices(before, this.text ?? '');
  }

  /** `undefined` if only the server knows how the document has changed. */
  #follow({
    splices,
    isAppend,
    update,
  }: Extract<TextSteps['steps'][number], { type: 'edited' }>): TextSplice[] | undefined {
    const text = this.#text;
    if (text === undefined) return undefined;
    if (update !== undefined) {
      this.#record.note({ update }, update.length + stepSize);
      return text.apply(update);
    }
    const [first, ...others] = splices;
    if (first === undefined) return [];
    if (!isAppend || others.length > 0) return undefined;
    this.#record.note({ grown: first.insert }, first.insert.length + stepSize);
    return text.grow(first.insert);
  }
}

function isLoose(work: PendingWork): work is PendingEdit {
  return isEdit(work) && work.isLoose === true;
}

/** About what a step takes beside the update in it. */
const stepSize = 120;
