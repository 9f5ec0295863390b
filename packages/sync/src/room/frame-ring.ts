import type { Cursor } from '@loom/kernel';
import type { EncodedFrame } from './encoded-frame.ts';

/** A change as it travels, and where it stands in the log. */
export interface RingEntry {
  seq: number;
  frame: EncodedFrame;
}

/**
 * The last changes of a conversation as they travel, without a gap up to now: what clients that come back have missed. It is
 * bounded; the oldest give way.
 */
export class FrameRing {
  readonly #limit: number;
  #entries: RingEntry[] = [];
  #size = 0;
  #end: Cursor | undefined;
  #isFull = false;

  constructor(limit: number) {
    this.#limit = limit;
  }

  /** True if older changes do not fit in: no need to look for them. */
  get isFull(): boolean {
    return this.#isFull;
  }

  /** Notes the log's place. Changes here that do not lead there are forgotten. */
  settle(now: Cursor): void {
    if (this.#end?.epoch !== now.epoch || this.#end.seq !== now.seq) this.#restart(now);
  }

  push({ epoch, seq }: Cursor, frame: EncodedFrame): void {
    if (this.#end?.epoch !== epoch || this.#end.seq !== seq - 1) this.#restart({ epoch, seq: seq - 1 });
    this.#end = { epoch, seq };
    this.#entries.push({ seq, frame });
    this.#size += frame.size;
    this.#shrink();
  }

  /** Adds changes of the log from before those that are here, in order. Takes as many of the newest as there is room for. */
  prepend(epoch: string, entries: readonly RingEntry[]): void {
    if (this.#end?.epoch !== epoch) return;
    const start = this.#start;
    const older = entries.filter(({ seq }) => seq <= start);
    if (older.at(-1)?.seq !== start) return;
    for (const { frame } of older) this.#size += frame.size;
    this.#entries.unshift(...older);
    this.#shrink();
  }

  /** The changes since a place, or `undefined` if they are not all here. */
  since({ epoch, seq }: Cursor): EncodedFrame[] | undefined {
    const end = this.#end;
    if (end?.epoch !== epoch || seq > end.seq || seq < this.#start) return undefined;
    return this.#entries.slice(seq - this.#start).map(({ frame }) => frame);
  }

  /** The place right before the oldest change that is here. */
  get #start(): number {
    return (this.#end?.seq ?? 0) - this.#entries.length;
  }

  #restart(end: Cursor): void {
    this.#entries = [];
    this.#size = 0;
    this.#isFull = false;
    this.#end = { epoch: end.epoch, seq: end.seq };
  }

  #shrink(): void {
    let dropped = 0;
    while (this.#size > this.#limit) {
      this.#size -= this.#entries[dropped]?.frame.size ?? 0;
      dropped += 1;
    }
    if (dropped === 0) return;
    this.#entries.splice(0, dropped);
    this.#isFull = true;
  }
}
