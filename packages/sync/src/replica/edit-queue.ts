import type { SentWork, UpdateFrame } from '../frames.ts';

/** An edit that the server has not answered yet. */
export interface PendingEdit {
  readonly id: string;
  readonly client: number;
  readonly seed: number;
  readonly burst: number;
  readonly update: string;
  /** True if it was typed before the server could give this client an id: it is never sent, but merged as text. */
  readonly isLoose?: true;
}

/** An undo or a redo that the server has not answered yet. */
export interface PendingFlip {
  readonly id: string;
  readonly client: number;
  readonly seed: number;
  readonly flip: 'undo' | 'redo';
}

export type PendingWork = PendingEdit | PendingFlip;

/** The pause after which further typing is undone apart, in milliseconds. */
const burstPause = 1000;

/** A frame must pass the server's door, and one refusal should not hold up everything. */
const maxEdits = 200;
const maxLength = 256 * 1024;

/**
 * The unanswered typing in one block, with undo and redo between, in order. Each keeps its request id until it is answered,
 * so that sending it again after a cut does nothing twice. Only one frame is under way at a time, so that none can overtake
 * another.
 */
export class EditQueue {
  readonly #block: string;
  #work: PendingWork[] = [];
  #sent = 0;
  /** The number of them that the server may have, from the first one on: they were sent, or left by an earlier client. */
  #offered = 0;
  #burst = 0;
  #lastTyped = Number.NEGATIVE_INFINITY;

  /** `work`: earlier work that was not answered. */
  constructor(block: string, work: readonly PendingWork[] = []) {
    this.#block = block;
    this.#work = [...work];
    this.#offered = work.length;
    this.#burst = this.edits.at(-1)?.burst ?? 0;
  }

  get work(): readonly PendingWork[] {
    return this.#work;
  }

  get edits(): readonly PendingEdit[] {
    return this.#work.filter(isEdit);
  }

  get isEmpty(): boolean {
    return this.#work.length === 0;
  }

  /** The number of bursts, undos and redos that were not answered. */
  get units(): number {
    const bursts = new Set(this.edits.map(({ client, burst }) => `${client} ${burst}`));
    return bursts.size + this.#work.length - this.edits.length;
  }

  /** True while an undo or a redo is on its way to the server. */
  get isFlipping(): boolean {
    return this.#work.slice(0, this.#sent).some((work) => !isEdit(work));
  }

  add(edit: Omit<PendingEdit, 'burst'>, now: number): PendingEdit {
    if (now - this.#lastTyped >= burstPause) this.#burst += 1;
    this.#lastTyped = now;
    const added = { ...edit, burst: this.#burst };
    this.#work.push(added);
    return added;
  }

  addFlip(flip: PendingFlip): void {
    this.endBurst();
    this.#work.push(flip);
  }

  /** Takes out the last burst of a client, as far as the server has not seen it and nothing came after it. */
  takeBack(client: number): PendingEdit[] {
    this.endBurst();
    const last = this.#work.at(-1);
    if (last === undefined || !isEdit(last)) return [];
    const isOther = (work: PendingWork): boolean =>
      !isEdit(work) || work.burst !== last.burst || work.client !== client;
    const start = Math.max(this.#offered, this.#work.findLastIndex(isOther) + 1);
    return this.#work.splice(start).filter(isEdit);
  }

  /** Puts the edits in again that were taken out last. */
  putBack(edits: readonly PendingEdit[]): void {
    this.endBurst();
    this.#work.push(...edits);
  }

  /** Returns the frame to send now, if any. */
  take(): UpdateFrame | undefined {
    const [first] = this.#work;
    if (first === undefined || this.#sent > 0) return undefined;
    const { client, seed } = first;
    let length = 0;
    const work = this.#work.slice(0, maxEdits);
    const other = work.findIndex((next, index) => {
      length += isEdit(next) ? next.update.length : 0;
      return index > 0 && (next.client !== client || next.seed !== seed || length > maxLength);
    });
    const taken = other === -1 ? work : work.slice(0, other);
    this.#sent = taken.length;
    this.#offered = Math.max(this.#offered, this.#sent);
    return { type: 'update', block: this.#block, client, seed, edits: taken.map(sentWork) };
  }

  /** Removes work that is durable, or had nothing to do. False if it is not in the queue. */
  acknowledge(id: string): boolean {
    const index = this.#work.findIndex((work) => work.id === id);
    if (index === -1) return false;
    this.#work.splice(index, 1);
    this.#sent = Math.max(0, this.#sent - 1);
    if (index < this.#offered) this.#offered -= 1;
    return true;
  }

  find(id: string): PendingWork | undefined {
    return this.#work.find((work) => work.id === id);
  }

  /** The connection is new: nothing that was under way will be answered. */
  rewind(): void {
    this.#sent = 0;
  }

  clear(): void {
    this.#work = [];
    this.#sent = 0;
    this.#offered = 0;
    this.endBurst();
  }

  /** Ends the burst: further typing is undone apart. */
  endBurst(): void {
    this.#lastTyped = Number.NEGATIVE_INFINITY;
  }
}

export function isEdit(work: PendingWork): work is PendingEdit {
  return 'update' in work;
}

function sentWork(work: PendingWork): SentWork {
  const { id } = work;
  return isEdit(work) ? { id, burst: work.burst, update: work.update } : { id, flip: work.flip };
}
