import { unitAt } from '@loom/blocks';

/**
 * Maps a request to the change that it led to, in a few bytes for each of the hundred thousands that a root may have seen: a
 * hash of 64 bits and the seq. Two requests may have the same hash, though hardly ever; a caller that finds one asks the log
 * if it is the one that was meant.
 */
export class RequestIndex {
  /** Three numbers for each slot: both halves of the hash, and the seq, which is 0 in an empty slot. */
  #slots = new Int32Array(3 * 16);
  #count = 0;

  get size(): number {
    return this.#count;
  }

  /** The seq of the change, if there may be one. */
  find(agent: string, request: string): number | undefined {
    const [high, low] = hashOf(agent, request);
    return this.#slots[this.#slotOf(high, low) + 2] || undefined;
  }

  note(agent: string, request: string, seq: number): void {
    const [high, low] = hashOf(agent, request);
    this.#put(high, low, seq);
  }

  /** Takes a request out again. */
  forget(agent: string, request: string): void {
    const [high, low] = hashOf(agent, request);
    const slots = this.#slots;
    const slot = this.#slotOf(high, low);
    if (slots[slot + 2] === 0) return;
    slots[slot + 2] = 0;
    this.#count -= 1;
    // Those behind it may have found its slot taken: they are put again, up to the next empty one.
    for (let at = (slot + 3) % slots.length; slots[at + 2] !== 0; at = (at + 3) % slots.length) {
      const [itsHigh = 0, itsLow = 0, seq = 0] = slots.subarray(at, at + 3);
      slots[at + 2] = 0;
      this.#count -= 1;
      this.#put(itsHigh, itsLow, seq);
    }
  }

  /** The requests after a change, as three numbers each, in the order of their changes. */
  entriesAfter(seq: number): number[] {
    const found: [high: number, low: number, seq: number][] = [];
    for (let slot = 0; slot < this.#slots.length; slot += 3) {
      const [high = 0, low = 0, change = 0] = this.#slots.subarray(slot, slot + 3);
      if (change > seq) found.push([high, low, change]);
    }
    return found.sort((a, b) => a[2] - b[2]).flat();
  }

  /** Takes in what `entriesAfter` gave. */
  load(entries: readonly number[]): void {
    for (let index = 0; index + 2 < entries.length; index += 3) {
      this.#put(entries[index] ?? 0, entries[index + 1] ?? 0, entries[index + 2] ?? 0);
    }
  }

  #put(high: number, low: number, seq: number): void {
    if (this.#count * 3 * 3 >= this.#slots.length * 2) this.#grow();
    const slot = this.#slotOf(high, low);
    if (this.#slots[slot + 2] === 0) this.#count += 1;
    this.#slots.set([high, low, seq], slot);
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Int32Array(before.length * 2);
    this.#count = 0;
    for (let slot = 0; slot < before.length; slot += 3) {
      const [high = 0, low = 0, seq = 0] = before.subarray(slot, slot + 3);
      if (seq !== 0) this.#put(high, low, seq);
    }
  }

  /** Returns the slot of a hash, or the one where it belongs. There is always an empty slot. */
  #slotOf(high: number, low: number): number {
    const slots = this.#slots;
    const count = slots.length / 3;
    // The number of slots is a power of two.
    for (let index = low & (count - 1); ; index = (index + 1) & (count - 1)) {
      const slot = index * 3;
      if (slots[slot + 2] === 0 || (slots[slot] === high && slots[slot + 1] === low)) return slot;
    }
  }
}

/** Two multiplicative hashes with different factors, mixed at the end so that every bit depends on every character. */
function hashOf(agent: string, request: string): [high: number, low: number] {
  const text = `${agent}\n${request}`;
  let high = 0x2545f491;
  let low = 0x1b873593;
  for (let index = 0; index < text.length; index += 1) {
    const unit = unitAt(text, index);
    high = Math.imul(high ^ unit, 0x9e3779b1);
    low = Math.imul(low ^ unit, 0x85ebca77);
  }
  high = Math.imul(high ^ (high >>> 15), 0x2c1b3c6d) ^ Math.imul(low ^ (low >>> 13), 0x297a2d39);
  low = Math.imul(low ^ (low >>> 16), 0x45d9f3b3) ^ Math.imul(high ^ (high >>> 14), 0x27d4eb2f);
  return [high | 0, low | 0];
}
