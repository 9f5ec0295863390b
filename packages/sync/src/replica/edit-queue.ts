import type { UpdateFrame } from '../frames.ts';

/** Something typed that the server has not answered yet. */
export interface PendingEdit {
  readonly id: string;
  readonly client: number;
  readonly seed: number;
  readonly burst: number;
  readonly update: string;
}

/** How long it must be quiet until what is typed next is undone apart, in milliseconds. */
const burstPause = 1000;

/** A frame must pass the server's door, and one refusal should not hold up everything. */
const maxEdits = 200;
const maxLength = 256 * 1024;

/**
 * What was typed in one block and has not been answered, in order. Each edit keeps its request id until it is, so that
 * sending it again after a cut does nothing twice. Only one frame is under way at a time, so that none can overtake another.
 */
export class EditQueue {
  readonly #block: string;
  #edits: PendingEdit[] = [];
  #sent = 0;
  #burst = 0;
  #lastTyped = Number.NEGATIVE_INFINITY;

  /** `edits`: what was typed before and not answered. */
  constructor(block: string, edits: readonly PendingEdit[] = []) {
    this.#block = block;
    this.#edits = [...edits];
    this.#burst = edits.at(-1)?.burst ?? 0;
  }

  get edits(): readonly PendingEdit[] {
    return this.#edits;
  }

  get isEmpty(): boolean {
    return this.#edits.length === 0;
  }

  add(edit: Omit<PendingEdit, 'burst'>, now: number): void {
    if (now - this.#lastTyped >= burstPause) this.#burst += 1;
    this.#lastTyped = now;
    this.#edits.push({ ...edit, burst: this.#burst });
  }

  /** What is to be sent now, if anything. */
  take(): UpdateFrame | undefined {
    const [first] = this.#edits;
    if (first === undefined || this.#sent > 0) return undefined;
    const { client, seed } = first;
    let length = 0;
    const edits = this.#edits.slice(0, maxEdits);
    const other = edits.findIndex((edit, index) => {
      length += edit.update.length;
      return index > 0 && (edit.client !== client || edit.seed !== seed || length > maxLength);
    });
    const taken = other === -1 ? edits : edits.slice(0, other);
    this.#sent = taken.length;
    return {
      type: 'update',
      block: this.#block,
      client,
      seed,
      edits: taken.map(({ id, burst, update }) => ({ id, burst, update })),
    };
  }

  /** An edit is durable. False if it is not in the queue. */
  acknowledge(id: string): boolean {
    const index = this.#edits.findIndex((edit) => edit.id === id);
    if (index === -1) return false;
    this.#edits.splice(index, 1);
    this.#sent = Math.max(0, this.#sent - 1);
    return true;
  }

  has(id: string): boolean {
    return this.#edits.some((edit) => edit.id === id);
  }

  /** The connection is new: nothing that was under way will be answered. */
  rewind(): void {
    this.#sent = 0;
  }

  clear(): void {
    this.#edits = [];
    this.#sent = 0;
    this.#lastTyped = Number.NEGATIVE_INFINITY;
  }
}
