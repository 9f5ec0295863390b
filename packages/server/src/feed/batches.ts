import type { EncodedFrame } from '@loom/sync';

/** Gathers the items sent within one tick, so that a stream of small frames costs one write. */
export class Batch<Item> {
  readonly #flush: (items: Item[]) => void;
  #items: Item[] = [];

  constructor(flush: (items: Item[]) => void) {
    this.#flush = flush;
  }

  get isEmpty(): boolean {
    return this.#items.length === 0;
  }

  add(item: Item): void {
    this.#items.push(item);
    if (this.#items.length === 1) flushSoon(this);
  }

  /** Hands over the items gathered so far. */
  flush(): void {
    const items = this.#items;
    this.#items = [];
    if (items.length > 0) this.#flush(items);
  }
}

/** The batches flushed at the end of this tick: by one call for all, since a change goes to as many clients as there are. */
let due: { flush(): void }[] = [];

function flushSoon(batch: { flush(): void }): void {
  due.push(batch);
  if (due.length > 1) return;
  setImmediate(() => {
    const batches = due;
    due = [];
    for (const each of batches) each.flush();
  });
}

/**
 * Writes batches of frames as one JSON array each, out of bytes that all clients share. Most clients of a conversation are sent the
 * same, so the last batch is kept, and put together once however many it goes to.
 */
export class BatchEncoder {
  #frames: readonly EncodedFrame[] = [];
  #encoded: Uint8Array = close;

  encode(frames: readonly EncodedFrame[]): Uint8Array {
    const isSame =
      frames.length === this.#frames.length && frames.every((frame, index) => frame === this.#frames[index]);
    if (!isSame) {
      this.#frames = frames;
      this.#encoded = joinFrames(frames);
    }
    return this.#encoded;
  }
}

function joinFrames(frames: readonly EncodedFrame[]): Uint8Array {
  const parts = frames.flatMap(({ bytes }, index) => [index === 0 ? open : comma, bytes]);
  return Buffer.concat([...parts, close]);
}

const [open, comma, close] = [Buffer.from('['), Buffer.from(','), Buffer.from(']')];
