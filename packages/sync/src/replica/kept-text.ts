import type { ClientText } from '@loom/blocks/document';
import { isEdit } from './edit-queue.ts';
import type { PendingWork } from './edit-queue.ts';

/** The unconfirmed typing in a block, as it is kept beyond the life of a client. */
export interface KeptText {
  /** The id of this client's work on the block: several may have worked on it. */
  readonly id: string;
  readonly block: string;
  /** The node that held the block. */
  readonly node: string;
  /** The epoch that the edits may be sent in; in any other they are merged. Empty: in none. */
  readonly epoch: string;
  /** The version that the document began with. */
  readonly seed: number;
  /** The whole document, in base64, with the edits. */
  readonly document: string;
  /** The length of what every client begins with, if that still grew (`ClientText.growing`). */
  readonly growing?: number;
  readonly edits: readonly PendingWork[];
  /** The ids of work that earlier clients left and that the document holds, even where it was merged under other ids since. */
  readonly holds?: readonly string[];
  /** The steps since then, in order. */
  readonly steps?: readonly KeptStep[];
}

/** A step of a text that is kept: it is written down, instead of the whole document, at every key. */
export type KeptStep =
  /** Typed here, undone here, or redone here. */
  | { readonly did: PendingWork }
  /** An update that every client gets. */
  | { readonly update: string }
  /** Text that was added to the end of what every client begins with. */
  | { readonly grown: string }
  /** The server has something that was done here. */
  | { readonly confirmed: string };

/** Keeps unconfirmed typing, for a client that comes after this one. */
export interface TextKeeper {
  /** Keeps a text, in the place of the one kept under its id. */
  put(kept: KeptText): void;
  /** Adds to the text kept under an id. False if that is no longer there: then the whole text has to be put. */
  add(id: string, steps: readonly KeptStep[]): boolean;
  remove(id: string): void;
}

/** The work in a text that is kept and that no one has confirmed, in order. */
export function pendingWork({ edits, steps = [] }: Pick<KeptText, 'edits' | 'steps'>): PendingWork[] {
  const confirmed = new Set(steps.flatMap((step) => ('confirmed' in step ? [step.confirmed] : [])));
  const all = [...edits, ...steps.flatMap((step) => ('did' in step ? [step.did] : []))];
  return all.filter(({ id }) => !confirmed.has(id));
}

/** Leaves out texts that others took over: all that is unconfirmed in them is held by one that stays. */
export function withoutTakenOver(kept: readonly KeptText[]): KeptText[] {
  let left = [...kept];
  for (const one of kept) {
    const work = pendingWork(one);
    const isHolder = ({ id, block, holds }: KeptText): boolean =>
      id !== one.id && block === one.block && work.every((pending) => holds?.includes(pending.id) === true);
    if (left.some(isHolder)) left = left.filter((other) => other !== one);
  }
  return left;
}

/** Brings a kept document up to date with its steps. */
export function replaySteps(text: ClientText, steps: readonly KeptStep[] = []): void {
  for (const step of steps) {
    if ('update' in step) text.apply(step.update);
    else if ('grown' in step) text.grow(step.grown);
    else if ('did' in step && isEdit(step.did)) text.restore(step.did.update);
  }
}

/** Steps of less than this are never too many. */
const leastRoom = 64 * 1024;

/** The keeper's record of a text: the whole of it as it once was, and the steps since. */
export class TextRecord {
  readonly #id: string;
  /** The place of the text when it was put; `undefined` if it has to be put, or put again. */
  #put: { node: string; epoch: string; room: number } | undefined;
  #steps: KeptStep[] = [];
  /** True if the keeper's record is out of date. */
  #isOutdated = false;

  constructor(id: string) {
    this.#id = id;
  }

  /** Notes a step. Steps that take more room than the text are replaced by the text. */
  note(step: KeptStep, size: number): void {
    if (this.#put === undefined) return;
    this.#steps.push(step);
    this.#put.room -= size;
    if (this.#put.room < 0) this.reset();
  }

  /** Notes a change that no step describes. */
  reset(): void {
    this.#isOutdated ||= this.#put !== undefined;
    this.#put = undefined;
    this.#steps = [];
  }

  /** Gives the keeper the steps that it does not know yet. */
  write(keeper: TextKeeper, place: Pick<KeptText, 'node' | 'epoch'>, whole: () => KeptText): void {
    const isThere = this.#put?.node === place.node && this.#put.epoch === place.epoch;
    const steps = this.#steps;
    this.#steps = [];
    if (isThere && (steps.length === 0 || keeper.add(this.#id, steps))) return;
    const kept = whole();
    keeper.put(kept);
    this.#isOutdated = false;
    this.#put = { ...place, room: Math.max(leastRoom, kept.document.length) };
  }

  /** Marks everything as confirmed at the keeper; its record stays for further typing. */
  settle(keeper: TextKeeper): void {
    if (this.#isOutdated) keeper.remove(this.#id);
    this.#isOutdated = false;
    if (!this.#steps.some((step) => 'confirmed' in step)) return;
    const steps = this.#steps;
    this.#steps = [];
    if (!keeper.add(this.#id, steps)) this.#put = undefined;
  }
}
