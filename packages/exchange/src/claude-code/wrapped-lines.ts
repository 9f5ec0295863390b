import { isPlainObject } from '@loom/blocks';
import { deepestLine, isDeeperThan } from '../foreign/depth.ts';
import { mayBeDeep } from '../foreign/json-line.ts';

/** What became of the lines that were pushed so far and not yet told of. */
export interface Joined {
  readonly values: readonly unknown[];
  /** How many lines hold them; the last one may hold the beginning of the next value, too. */
  readonly lines: number;
  /** Lines before these that belong to no value. */
  readonly lost: number;
}

/** The longest value that is put together from pieces. */
const mostLength = 16 * 1024 * 1024;

/**
 * Puts values of JSON together that a terminal has broken over several lines, or that were written over several. A line that is an object by
 * itself ends whatever waited: the process that wrote the stream was cut off and another went on.
 */
export class WrappedLines {
  #text = '';
  #lines = 0;
  #at = 0;
  #depth = 0;
  #isInString = false;

  /** How many lines wait for the rest of what they hold. */
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

  /** Forgets what waits; answers how many lines that were. */
  end(): number {
    return this.#drop();
  }

  /** Takes off the values that are complete. */
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
        // What is balanced and still no JSON does not become so by more of it.
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

  /** The beginning of a value stands on a line that is told of already. */
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

/** What is nested too deep to be written again is no value. */
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
