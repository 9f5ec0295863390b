/** Gathers what is sent within one tick, so that a stream of small frames costs one write. */
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
    if (this.#items.length === 1) setImmediate(() => this.flush());
  }

  /** Hands over what is there now. */
  flush(): void {
    const items = this.#items;
    this.#items = [];
    if (items.length > 0) this.#flush(items);
  }
}

/**
 * Encodes batches of frames as one JSON array each. Most clients of a conversation are sent the same, so the last batch is
 * kept, and encoded once however many it goes to.
 */
export class BatchEncoder {
  #frames: readonly string[] = [];
  #encoded = Buffer.from('[]');

  encode(frames: readonly string[]): Buffer {
    const isSame =
      frames.length === this.#frames.length && frames.every((frame, index) => frame === this.#frames[index]);
    if (!isSame) {
      this.#frames = frames;
      this.#encoded = Buffer.from(`[${frames.join(',')}]`);
    }
    return this.#encoded;
  }
}
