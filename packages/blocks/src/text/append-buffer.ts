import { cleanText } from './clean-text.ts';

/** More than this many characters are not held back. */
const longEnough = 50;

/** The longest wait of the first character of a buffer, in milliseconds. The buffer's owner keeps the clock. */
export const appendDelay = 100;

/**
 * Gathers the small deltas of a provider so that the log gets few records without the reader noticing. Text is never
 * trimmed; the first half of a surrogate pair waits for the second, and what no store can hold becomes U+FFFD.
 */
export class AppendBuffer {
  #text = '';

  /**
   * Takes a delta and returns the text that is due now: everything after a line break or when it is long enough, else
   * nothing.
   */
  push(delta: string): string {
    this.#text += delta;
    return delta.includes('\n') || this.#text.length > longEnough ? this.take() : '';
  }

  /** Returns everything that can be written now. */
  take(): string {
    const cut = endsInHalfPair(this.#text) ? this.#text.length - 1 : this.#text.length;
    // A half inside can no longer become whole.
    const due = cleanText(this.#text.slice(0, cut));
    this.#text = this.#text.slice(cut);
    return due;
  }

  /** Everything, at the end of the block: a half pair that is still there will never be whole. */
  end(): string {
    const rest = cleanText(this.#text);
    this.#text = '';
    return rest;
  }

  /** Returns everything as it came, for an owner that goes on without the buffer. */
  drain(): string {
    const rest = this.#text;
    this.#text = '';
    return rest;
  }

  get isEmpty(): boolean {
    return this.#text === '';
  }
}

function endsInHalfPair(text: string): boolean {
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff;
}
