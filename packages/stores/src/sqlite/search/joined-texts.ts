import type { TextPlace } from '@loom/kernel/search';

/**
 * The texts of several blocks as one, with a line feed between them. Nothing matches across lines, so what is found in it is found
 * in a block, and going through it at once takes a fraction of the time that block by block takes.
 */
export class JoinedTexts {
  readonly text: string;
  /** All characters are below U+0100. */
  readonly isNarrow: boolean;
  /** Lines end where a line feed is and nowhere else: there is no carriage return that may belong to it. */
  readonly isPlain: boolean;
  readonly #ends: Int32Array;

  /** Of texts that lie one after the other, and where each of them ends. */
  constructor(texts: string, ends: Int32Array, place: TextPlace) {
    this.text = Array.from(ends, (end, index) => texts.slice(ends[index - 1] ?? 0, end)).join('\n');
    this.isNarrow = place === 'narrow' || (place === 'other' && !/[\u0100-\uffff]/.test(texts));
    this.isPlain = !texts.includes('\r');
    this.#ends = ends;
  }

  /** Where the text of a block begins. */
  from(index: number): number {
    return index === 0 ? 0 : this.to(index - 1) + 1;
  }

  /** Where it ends. */
  to(index: number): number {
    return (this.#ends[index] ?? 0) + index;
  }

  block(index: number): string {
    return this.text.slice(this.from(index), this.to(index));
  }
}
