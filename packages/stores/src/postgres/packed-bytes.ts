/** Texts one after the other in one array of bytes, which a statement takes apart: the driver would write an array of arrays as text. */
export class PackedTexts {
  readonly #pieces: Buffer[] = [];
  #length = 0;
  /** The first byte of each, counted from 1 as SQL does. */
  readonly starts: number[] = [];
  /** The number of bytes of each. */
  readonly sizes: number[] = [];

  add(text: string): void {
    const { start, size } = this.place(text);
    this.starts.push(start);
    this.sizes.push(size);
  }

  /** Adds a text that is not listed among the others. */
  place(text: string): { start: number; size: number } {
    const bytes = Buffer.from(text);
    const start = this.#length + 1;
    this.#pieces.push(bytes);
    this.#length += bytes.length;
    return { start, size: bytes.length };
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces, this.#length);
  }
}
