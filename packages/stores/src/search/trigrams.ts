import { foldTable } from '@loom/kernel/search';
import type { RequiredLiterals } from '@loom/kernel/search';
import { unitAt } from '@loom/blocks';

/** The trigrams of texts as numbers, each once: for an index that keeps sets of numbers. */
export class TrigramHashes {
  readonly #bits: number;
  /** The run in which each hash was last seen, so that nothing needs to be cleared. */
  readonly #seen: Uint32Array;
  #run = 0;

  constructor(bits: number) {
    this.#bits = bits;
    this.#seen = new Uint32Array(1 << bits);
  }

  /** None reaches from one text into the next. */
  of(texts: readonly string[]): number[] {
    this.#run += 1;
    const folded = foldTable();
    const fold = (unit: number): number => folded[unit] ?? unit;
    const found: number[] = [];
    for (const text of texts) {
      let first = fold(unitAt(text, 0));
      let second = fold(unitAt(text, 1));
      for (let index = 2; index < text.length; index += 1) {
        const third = fold(unitAt(text, index));
        const hash = hashOf(first, second, third) >>> (32 - this.#bits);
        if (this.#seen[hash] !== this.#run) {
          this.#seen[hash] = this.#run;
          found.push(hash);
        }
        first = second;
        second = third;
      }
    }
    return found;
  }
}

/**
 * The trigrams of a text as words for FTS5: three UTF-16 code units in a row, their case folded, hashed to eighteen bits and written with
 * four letters. Measured against FTS5's own trigram tokenizer: a fifth smaller, because a text's trigrams are given once instead of every
 * time and the rare ones of scripts with many characters share their words; and case folding is decided here alone.
 */
export class TrigramWords {
  readonly #hashes = new TrigramHashes(wordBits);
  #bytes = Buffer.alloc(1 << 16);

  /** Returns each trigram of the texts once, separated by spaces. None reaches from one text into the next. */
  of(texts: readonly string[]): string {
    const found = this.#hashes.of(texts);
    // Four letters and a space for each.
    if (this.#bytes.length < found.length * 5) this.#bytes = Buffer.alloc(found.length * 10);
    let length = 0;
    for (const hash of found) length = writeWord(this.#bytes, length, hash);
    return this.#bytes.toString('latin1', 0, length);
  }
}

/**
 * Returns for each clause that can rule anything out its alternatives: a stretch that may have a match has all numbers of one
 * alternative of each clause. A text that is too short for a trigram makes its clause useless.
 */
export function trigramClauses(required: RequiredLiterals, trigrams: Pick<TrigramHashes, 'of'>): number[][][] {
  return required
    .map((clause) => clause.map((text) => trigrams.of([text])))
    .filter((clause) => clause.every((alternative) => alternative.length > 0));
}

/**
 * Returns the FTS5 query that names every stretch that may have a match; `undefined` if nothing can be ruled out. A text of a clause that
 * is too short for a trigram makes its clause useless.
 */
export function trigramQuery(required: RequiredLiterals): string | undefined {
  const words = new TrigramWords();
  const clauses = required.flatMap((clause) => {
    const alternatives = clause.map((text) => words.of([text]).trimEnd());
    if (alternatives.includes('')) return [];
    return [`(${alternatives.map((list) => `(${list.replaceAll(' ', ' AND ')})`).join(' OR ')})`];
  });
  return clauses.length === 0 ? undefined : clauses.join(' AND ');
}

/** Four letters of thirty-two are enough for these. */
const wordBits = 18;

function hashOf(first: number, second: number, third: number): number {
  const mixed = Math.imul(Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) ^ third, 0xc2b2ae35);
  return mixed;
}

/** Writes a word in lower case, since FTS5 takes AND, OR and NOT for operators. */
function writeWord(bytes: Buffer, at: number, hash: number): number {
  bytes[at] = letters[hash >>> 15] ?? 0;
  bytes[at + 1] = letters[(hash >>> 10) & 31] ?? 0;
  bytes[at + 2] = letters[(hash >>> 5) & 31] ?? 0;
  bytes[at + 3] = letters[hash & 31] ?? 0;
  bytes[at + 4] = 0x20;
  return at + 5;
}

const letters = Buffer.from('abcdefghijklmnopqrstuvwxyz234567');
