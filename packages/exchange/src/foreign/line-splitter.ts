/** The longest line that is read, in bytes; longer ones are passed over. */
export const longestLine = 16 * 1024 * 1024;

const lineFeed = 10;
const carriageReturn = 13;

export interface SplitterEvents {
  line(text: string): void;
  /** Reports a line above the size limit; `bytes` is its length. */
  tooLong(bytes: number): void;
}

/**
 * Cuts bytes into lines at line feeds alone: JSON may hold U+2028 and other breaks that readers of lines in Node take for ends. A carriage return
 * before the feed belongs to the break; a byte order mark at the beginning is dropped.
 */
export class LineSplitter {
  readonly #events: SplitterEvents;
  readonly #limit: number;
  readonly #decoder = new TextDecoder();
  #pieces: Uint8Array[] = [];
  #length = 0;

  constructor(events: SplitterEvents, limit = longestLine) {
    this.#events = events;
    this.#limit = limit;
  }

  /** The number of bytes of an incomplete line that are waiting for its end. */
  get pending(): number {
    return this.#length;
  }

  push(bytes: Uint8Array): void {
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      this.#hold(bytes.subarray(start, end));
      this.#finish();
      start = end + 1;
    }
    // Copied: the caller may read into the same buffer again, and a slice of a Buffer would still be that buffer.
    if (start < bytes.length) this.#hold(new Uint8Array(bytes.subarray(start)));
  }

  /** The last line need not have a break. */
  end(): void {
    if (this.#length > 0) this.#finish();
  }

  #hold(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length <= this.#limit) this.#pieces.push(piece);
    else this.#pieces = [];
  }

  #finish(): void {
    const length = this.#length;
    const pieces = this.#pieces;
    this.#length = 0;
    this.#pieces = [];
    if (length > this.#limit) return this.#events.tooLong(length);
    const line = pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
    const text = this.#decoder.decode(line.at(-1) === carriageReturn ? line.subarray(0, -1) : line);
    this.#events.line(text);
  }
}
