import type { Passage } from './passage.ts';

/**
 * Returns the user messages right above a repeated answer that match those above its original, nearest first, each with the message that it repeats.
 * A program that writes a history again gives all of its lines new ids: answers are recognized by their provider's ids, user messages by their text
 * alone.
 */
export function repeatedWords(copy: Passage, answer: Passage): (readonly [copy: Passage, original: Passage])[] {
  const pairs: (readonly [Passage, Passage])[] = [];
  let [at, original]: (Passage | undefined)[] = [copy, answer.above];
  while (at?.said !== undefined && original?.said !== undefined && !isSame(at, original)) {
    if (at.said.mark !== original.said.mark) break;
    pairs.push([at, original]);
    [at, original] = [at.above, original.above];
  }
  return pairs;
}

/** Returns true if both are one place: the same passage, or repetitions of it. */
export function isSame(one: Passage, other: Passage | undefined): boolean {
  return (one.original ?? one) === (other?.original ?? other);
}

/** Looks for passages above others, with a bound on all of its steps together: a hostile file could ask on every line. */
export class Ancestry {
  #steps = 10_000_000;

  /** Returns true if a passage stands above another one, and also once the steps are used up: then nothing is duplicated. */
  has(above: Passage, from: Passage): boolean {
    for (let at: Passage | undefined = from; at !== undefined; at = at.above) {
      if (isSame(at, above)) return true;
      if ((this.#steps -= 1) < 0) return true;
    }
    return false;
  }
}
