import { isPlainObject } from '@loom/blocks';
import { deepestLine, isDeeperThan } from '../../foreign/depth.ts';
import { mayBeDeep } from '../../foreign/json-line.ts';

/** The outcome of the lines that were pushed and not yet reported. */
export interface Joined {
  readonly values: readonly unknown[];
  /** The number of lines that hold them; the last one may also hold the beginning of the next value. */
  readonly lines: number;
  /** Lines before these that belong to no value. */
  readonly lost: number;
}

/** The longest value that is assembled from pieces. */
const mostLength = 16 * 1024 * 1024;

/**
 * Joins JSON values that a terminal has broken over several lines, or that were written over several. A line that is a complete object ends the one
 * that waited: the process that wrote the stream was cut off and another continued.
 */
export class WrappedLines {
  #text = '';
  #lines = 0;
  #at = 0;
  #depth = 0;
  #isInString = false;

  /** The number of lines that wait for the rest of their value. */
  get waiting(): number {
    return this.#lines;
  }

  push(line: string): Joined | undefined {
    const value = line.startsWith('{') ? parse(line) : undefined;
    if (isPlainObject(value)) return { values: [value], lines: 1, lost: this.#drop() };
    if (this.#text === '' && !/^\s*[[{]/.test(line)) return undefined;
    if (this.#text.length + line.length > mostLength) {
      this.#lines += 1;
      return { values: [], lines: 0, lost: this.#drop() };
    }
    this.#text += line;
    this.#lines += 1;
    return this.#cut();
  }

  /** Forgets the waiting lines; returns their number. */
  end(): number {
    return this.#drop();
  }

  /** Removes the complete values and returns them. */
  #cut(): Joined | undefined {
    const values: unknown[] = [];
    let start = 0;
    for (; this.#at < this.#text.length; this.#at += 1) {
      const unit = this.#text.charCodeAt(this.#at);
      if (this.#isInString) {
        if (unit === backslash) this.#at += 1;
        else if (unit === quote) this.#isInString = false;
      } else if (unit === quote) this.#isInString = true;
      else if (unit === openBrace || unit === openBracket) this.#depth += 1;
      else if ((unit === closeBrace || unit === closeBracket) && --this.#depth <= 0) {
        const value = parse(this.#text.slice(start, this.#at + 1));
        // A balanced text that is not JSON does not become JSON when it grows.
        if (value === undefined) return { values, lines: 0, lost: this.#drop() };
        values.push(value);
        start = this.#at + 1;
      }
    }
    if (values.length === 0) return undefined;
    const rest = this.#text.slice(start).trimStart();
    const lines = this.#lines;
    this.#drop();
    if (rest !== '') this.#keep(rest);
    return { values, lines, lost: 0 };
  }

  /** Keeps the beginning of a value from a line that is already counted. */
  #keep(rest: string): void {
    this.#text = rest;
    const joined = this.#cut();
    if (joined !== undefined) this.#drop();
  }

  #drop(): number {
    const lines = this.#lines;
    this.#text = '';
    this.#lines = 0;
    this.#at = 0;
    this.#depth = 0;
    this.#isInString = false;
    return lines;
  }
}

/** Refuses a value that is nested too deep to be written again. */
function parse(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text);
    return mayBeDeep(text) && isDeeperThan(value, deepestLine) ? undefined : value;
  } catch {
    return undefined;
  }
}

const quote = 34;
const backslash = 92;
const openBracket = 91;
const closeBracket = 93;
const openBrace = 123;
const closeBrace = 125;
