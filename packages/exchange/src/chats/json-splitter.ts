import { Buffer } from 'node:buffer';
import { ChatExportError } from './chat-export-error.ts';

/** The longest conversation that is read, in bytes of JSON. */
const longestElement = 64 * 1024 * 1024;

/**
 * LibreChat nests each message in the one above it, which is two levels; a document nested deeper than any conversation is long is made to break
 * readers.
 */
const deepestDocument = 20_000;

/**
 * Cuts a JSON document into the elements of its array, or yields it whole if it is not an array, so that one conversation is held at a time, with its
 * nesting depth. It looks only at brackets and quotes; parsing shows whether an element is JSON.
 */
export class JsonSplitter {
  readonly #element: (text: string, depth: number) => void;
  readonly #longest: number;
  #state: 'before' | 'in-array' | 'in-element' | 'after' = 'before';
  #isArray = false;
  #pieces: Uint8Array[] = [];
  #length = 0;
  #count = 0;
  #depth = 0;
  #deepest = 0;
  #isInString = false;
  #isEscaped = false;

  constructor(element: (text: string, depth: number) => void, longest = longestElement) {
    this.#element = element;
    this.#longest = longest;
  }

  push(bytes: Uint8Array): void {
    let start = 0;
    for (let at = 0; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (this.#state !== 'in-element') {
        if (isSpace(byte) || (this.#state === 'before' && byteOrderMark.includes(byte))) continue;
        start = at;
        if (!this.#open(byte)) continue;
      }
      // Set if an element ends with this byte, or ended before it.
      const end = this.#follow(byte);
      if (end === undefined) continue;
      this.#hold(bytes.subarray(start, end === 'with' ? at + 1 : at));
      this.#finish();
      if (end === 'before') at -= 1;
      start = at + 1;
    }
    if (this.#state === 'in-element' && start < bytes.length) this.#hold(bytes.slice(start));
  }

  end(): void {
    // A document that is a number or a word has no bracket at its end.
    if (this.#state === 'in-element' && this.#depth === 0 && !this.#isInString && !this.#isArray) this.#finish();
    if (this.#state !== 'after') {
      throw new ChatExportError(
        'cut-off',
        'The file ends in the middle. Export it again, or get it again, and then import it.',
      );
    }
  }

  /** Reads a byte between elements. Returns true if an element begins. */
  #open(byte: number): boolean {
    if (this.#state === 'after') throw broken();
    if (this.#state === 'before' && byte === openBracket) {
      this.#isArray = true;
      this.#state = 'in-array';
      return false;
    }
    if (this.#state === 'in-array') {
      if (byte === comma) return false;
      if (byte === closeBracket) {
        this.#state = 'after';
        return false;
      }
    }
    this.#state = 'in-element';
    this.#depth = 0;
    this.#deepest = 0;
    return true;
  }

  #follow(byte: number): 'with' | 'before' | undefined {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === backslash) this.#isEscaped = true;
      else if (byte === quote) {
        this.#isInString = false;
        if (this.#depth === 0) return 'with';
      }
      return undefined;
    }
    switch (byte) {
      case quote:
        this.#isInString = true;
        return undefined;
      case openBrace:
      case openBracket:
        this.#depth += 1;
        this.#deepest = Math.max(this.#deepest, this.#depth);
        if (this.#depth > deepestDocument)
          throw new ChatExportError(
            'too-deep',
            `${this.#subject()} nested deeper than ${deepestDocument} levels. Nothing was taken in. ${this.#advice()} One of LibreChat is flat if it is exported without "Recursive".`,
          );
        return undefined;
      case closeBrace:
      case closeBracket:
        if (this.#depth === 0) return this.#isArray ? 'before' : undefined;
        this.#depth -= 1;
        return this.#depth === 0 ? 'with' : undefined;
      case comma:
        return this.#depth === 0 && this.#isArray ? 'before' : undefined;
      default:
        return undefined;
    }
  }

  #hold(piece: Uint8Array): void {
    this.#length += piece.length;
    if (this.#length > this.#longest) {
      throw new ChatExportError(
        'too-large',
        `${this.#subject()} larger than ${Math.round(this.#longest / 1024 / 1024)} MB, more than is read of one. Nothing was taken in. ${this.#advice()}`,
      );
    }
    this.#pieces.push(piece);
  }

  #subject(): string {
    return this.#isArray ? `Conversation ${this.#count + 1} of the file is` : 'The conversation in the file is';
  }

  #advice(): string {
    return this.#isArray
      ? 'Take it out of the file, or delete it where it comes from and export again; then import the rest.'
      : 'Export a shorter part of it, or export it without its files, and import that.';
  }

  #finish(): void {
    this.#count += 1;
    const text = Buffer.concat(this.#pieces).toString('utf8');
    this.#pieces = [];
    this.#length = 0;
    this.#state = this.#isArray ? 'in-array' : 'after';
    this.#element(text, this.#deepest);
  }
}

function broken(): ChatExportError {
  return new ChatExportError(
    'broken',
    'The file is not JSON: something follows behind its end. Export it again, or get it again, and then import it.',
  );
}

const byteOrderMark = [0xef, 0xbb, 0xbf];

function isSpace(byte: number): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

const quote = 34;
const comma = 44;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;
