import type { PatternProbe } from './pattern-probe.ts';

/**
 * Finds out which lines of a text have a match, faster than by looking for the matches. V8 looks for a short text by looking
 * for its first character with the processor's widest instructions: so of a text that every match has, the part from its
 * rarest character on is looked for, and the rest is compared there. If that part is everywhere after all, the engine looks
 * for the whole.
 */
export class NativeProbe {
  /** True if it looks for the pattern itself. */
  readonly isPattern: boolean;
  /** True if it looks for texts, which rules out lines that do not have them. */
  readonly isLed: boolean;
  /** The expression that it looks for. */
  readonly whole: RegExp;
  readonly #needles: readonly Needle[];
  #hits = 0;
  #characters = 0;
  #isUseful = true;

  /** Makes the probe of a pattern from the probes of its alternatives. */
  constructor(pattern: RegExp, probes: readonly PatternProbe[]) {
    const source = probes.map((probe) => probe.source).join('|');
    this.isPattern = probes.length === 0 || source === pattern.source;
    this.whole = this.isPattern ? pattern : new RegExp(source, pattern.flags);
    this.isLed = probes.length > 0 && probes.every(({ leads }) => leads.length > 0);
    this.#needles = this.isLed && !pattern.ignoreCase ? needlesOf(probes, pattern.flags) : [];
  }

  /**
   * Goes through a text: the returned function takes the beginning of a line, each time one farther on, and returns a place
   * in the first line from there on that has a match, or -1 if none has.
   */
  over(text: string): (offset: number) => number {
    // The last place of each needle: it is looked for again only when it is passed.
    const next = this.#needles.map(() => -1);
    return (offset) =>
      next.length > 0 && this.#isUseful ? this.#byNeedles(text, offset, next) : this.#byWhole(text, offset);
  }

  #byWhole(text: string, offset: number): number {
    this.whole.lastIndex = offset;
    return this.whole.test(text) ? this.whole.lastIndex : -1;
  }

  #byNeedles(text: string, offset: number, next: number[]): number {
    for (let from = offset; ;) {
      const at = this.#nextNeedle(text, from, next);
      if (at === text.length) {
        this.#characters += text.length - offset;
        return -1;
      }
      this.#hits += 1;
      if (this.#isMatch(text, at, next)) {
        this.#characters += at - offset;
        return at;
      }
      if (this.#hits > fewHits && this.#hits * charactersPerHit > this.#characters + at - offset) {
        this.#isUseful = false;
        return this.#byWhole(text, offset);
      }
      from = at + 1;
    }
  }

  /** The end of the text if there is none. */
  #nextNeedle(text: string, from: number, next: number[]): number {
    let first = text.length;
    for (const [index, needle] of this.#needles.entries()) {
      let at = next[index] ?? -1;
      if (at < from) {
        at = text.indexOf(needle.text, from);
        if (at === -1) at = text.length;
        next[index] = at;
      }
      if (at < first) first = at;
    }
    return first;
  }

  #isMatch(text: string, at: number, next: readonly number[]): boolean {
    return this.#needles.some(({ check, offset }, index) => {
      if (next[index] !== at || at < offset) return false;
      check.lastIndex = at - offset;
      return check.test(text);
    });
  }
}

/** Part of a text that every match of an alternative has. */
interface Needle {
  text: string;
  /** The distance behind the beginning of that text. */
  offset: number;
  /** Looks whether the rest is there too. */
  check: RegExp;
}

/** None if that would not be faster. */
function needlesOf(probes: readonly PatternProbe[], flags: string): Needle[] {
  let cost = 0;
  const needles = probes.flatMap(({ source, leads }) => {
    const check = new RegExp(source, flags.replace('g', 'y'));
    return leads.map((lead): Needle => {
      const costs = lead.map((character, index) => costOf(character, index === lead.length - 1));
      const rarest = costs.indexOf(Math.min(...costs));
      cost += costs[rarest] ?? 0;
      const text = lead.slice(rarest, rarest + maxNeedle).join('');
      return { text, offset: lead.slice(0, rarest).join('').length, check };
    });
  });
  return cost > maxCost ? [] : needles;
}

/**
 * Returns the cost of looking for a character, compared with others. With nothing behind it all its places have to be looked
 * at.
 */
function costOf(character: string, isAlone: boolean): number {
  const [, frequency] = frequencies.find(([characters]) => characters.includes(character)) ?? [character, 1];
  return isAlone ? frequency * 15 : frequency;
}

/** The approximate number of these characters in a thousand of prose and code; others are rarer. */
const frequencies: readonly [characters: string, frequency: number][] = [
  [' ', 160],
  ['e', 80],
  ['t', 65],
  ['oasnri', 45],
  ['dlc', 25],
  [".,'()puhfm", 15],
  ['gw:;=', 10],
  ['ybk{}', 8],
  ['xv/*[]', 5],
];
const maxCost = 60;
/** V8 looks for longer ones in another way, which is slower. */
const maxNeedle = 6;
/** The limits beyond which the engine is faster: more than `fewHits` hits, and more than one in `charactersPerHit` characters. */
const fewHits = 100;
const charactersPerHit = 400;
