import { caseVariants } from './case-variants.ts';
import { NativeProbe } from './native-probe.ts';
import {
  effortOfAlternatives,
  effortOfRepetition,
  effortOfSequence,
  noEffort,
  oneCharacter,
} from './pattern-effort.ts';
import { probeOf } from './pattern-probe.ts';
import type { PatternPiece, PatternProbe, PatternSequence } from './pattern-probe.ts';
import type { QueryMatcher } from '../query.ts';

/**
 * A query for JavaScript's own engine, which is many times as fast as `re2js` but backtracks: its caller must be able to stop
 * it from outside. There only if it finds exactly what the query means, line by line.
 */
export interface NativePattern {
  /** For texts whose characters are all below U+0100. */
  narrow: NativeExpression;
  /** For all texts; `undefined` where the two engines would not agree. */
  wide: NativeExpression | undefined;
  /** True if its time for each character is bounded, whatever the text is: then it need be stopped between texts only. */
  isBounded: boolean;
}

export interface NativeExpression {
  /** Finds the matches. */
  pattern: RegExp;
  /** Finds the lines in which there is one. */
  probe: NativeProbe;
}

/** The same query for JavaScript's engine, or `undefined` if it has something that means another thing there. */
export function nativePattern(matcher: QueryMatcher): NativePattern | undefined {
  if (matcher.type === 'literal') {
    // V8 looks for a long periodic text in a way that takes (text × needle), and cannot be interrupted in it.
    if (matcher.text.length > maxLiteral || /[\r\n]/.test(matcher.text)) return undefined;
    const source = matcher.text.replaceAll(/[\\^$.|?*+()[\]{}/]/g, String.raw`\$&`);
    const literal = expressionOf({ source, probes: [{ source, leads: [Array.from(matcher.text)] }] }, 'g');
    return { narrow: literal, wide: literal, isBounded: true };
  }
  try {
    const translated = new Translation(matcher.pattern.pattern(), matcher.ignoreCase).run();
    const { isNullable, hasAstral, ways, steps } = translated;
    // An empty part takes no step, but may match in many ways.
    const isBounded = Math.max(ways, steps) <= maxSteps;
    const wide = expressionOf(translated, 'gu');
    // V8 finds nothing inside surrogate pairs too.
    return { narrow: hasAstral ? wide : expressionOf(translated, 'g'), wide: isNullable ? undefined : wide, isBounded };
  } catch (error) {
    if (error instanceof Untranslatable || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function expressionOf({ source, probes }: Pick<Translated, 'source' | 'probes'>, flags: string): NativeExpression {
  const pattern = new RegExp(source, flags);
  return { pattern, probe: new NativeProbe(pattern, probes) };
}

interface Translated extends PatternPiece {
  /** The probes of each alternative; none if it may match nothing, which is everywhere. */
  probes: readonly PatternProbe[];
  hasAstral: boolean;
}

/**
 * Reads a pattern that is known to be right and rewrites it. Nothing that it writes matches a line feed, since matches end
 * with their line; `^` and `$` look for one instead of relying on a flag, which would take other characters for line endings
 * too. If case is ignored, every letter becomes a class of its variants: the flag for it has another table, and another idea
 * of words.
 */
class Translation {
  readonly #pattern: string;
  readonly #ignoresCase: boolean;
  #at = 0;
  #hasAstral = false;

  constructor(pattern: string, ignoresCase: boolean) {
    this.#pattern = pattern;
    this.#ignoresCase = ignoresCase;
  }

  run(): Translated {
    const { alternatives, ...whole } = this.#alternatives();
    if (this.#at < this.#pattern.length) throw new Untranslatable();
    const probes = whole.isNullable ? [] : alternatives.map(probeOf);
    return { ...whole, probes, hasAstral: this.#hasAstral };
  }

  #alternatives(): PatternPiece & { alternatives: PatternSequence[] } {
    const alternatives = [this.#sequence()];
    while (this.#take('|')) alternatives.push(this.#sequence());
    return {
      source: alternatives.map((pieces) => pieces.map(({ source }) => source).join('')).join('|'),
      isNullable: alternatives.some((pieces) => pieces.every(({ isNullable }) => isNullable)),
      alternatives,
      ...effortOfAlternatives(alternatives.map(effortOfSequence)),
    };
  }

  #sequence(): PatternSequence {
    const pieces: PatternPiece[] = [];
    while (this.#at < this.#pattern.length && !/^[|)]/.test(this.#rest(1))) pieces.push(this.#repeated(this.#atom()));
    return pieces;
  }

  #repeated(piece: PatternPiece): PatternPiece {
    const [sign, least, rest] = this.#match(/[*+?]\??|\{(\d+)(,\d*)?\}\??/y) ?? [];
    if (sign === undefined) return piece;
    if (piece.isNullable || this.#match(/[*+?]|\{\d+(?:,\d*)?\}/y) !== undefined) throw new Untranslatable();
    const minimum = Number(least ?? (sign.startsWith('+') ? 1 : 0));
    const maximum = sign.startsWith('?')
      ? 1
      : least === undefined || rest === ','
        ? Infinity
        : Number(rest?.slice(1) ?? least);
    const effort = effortOfRepetition(piece, minimum, maximum);
    return { source: piece.source + sign, isNullable: minimum === 0, ...effort };
  }

  #atom(): PatternPiece {
    if (this.#take('(')) return this.#group();
    if (this.#take('[')) return one(this.#class());
    if (this.#take('.')) return one('[^\\n]');
    if (this.#take('^')) return nothing('(?<=\\n|^)');
    if (this.#take('$')) return nothing('(?=\\n|$)');
    if (!this.#take('\\')) return this.#literal(this.#next());
    const escape = this.#rest(1);
    if (escape === 'b') {
      this.#at += 1;
      return nothing('\\b');
    }
    const known = this.#shorthand();
    if (known !== undefined) return one(known.isNegated ? `[^\\n${known.inside}]` : `[${known.inside}]`);
    return this.#literal(this.#escaped());
  }

  #literal(code: number): PatternPiece {
    if (code === lineFeed) throw new Untranslatable();
    const variants = this.#variants(code);
    if (variants.length > 1) return one(`[${variants.map((variant) => this.#character(variant)).join('')}]`);
    return { ...one(this.#character(code)), literal: String.fromCodePoint(code) };
  }

  #group(): PatternPiece {
    if (this.#rest(1) === '?' && this.#match(/\?(?::|P?<\w+>)/y) === undefined) throw new Untranslatable();
    const inside = this.#alternatives();
    if (!this.#take(')')) throw new Untranslatable();
    return { ...inside, source: `(?:${inside.source})` };
  }

  #class(): string {
    const isNegated = this.#take('^');
    let inside = '';
    for (let isFirst = true; isFirst || !this.#take(']'); isFirst = false) {
      if (this.#rest(2) === '[:') throw new Untranslatable();
      const known = this.#rest(1) === '\\' ? this.#shorthandInClass() : undefined;
      inside += known ?? this.#range(isNegated);
    }
    return isNegated ? `[^\\n${inside}]` : `[${inside}]`;
  }

  #range(isNegated: boolean): string {
    const low = this.#member();
    let high = low;
    if (this.#rest(1) === '-' && this.#rest(2) !== '-]') {
      this.#at += 1;
      high = this.#member();
    }
    const [from, to] = [low, high].map((code) => this.#character(code));
    const others = this.#variantsIn(low, high);
    if (isNegated || low > lineFeed || high < lineFeed) return `${from}-${to}${others}`;
    // Without the line feed.
    const before = low < lineFeed ? `${from}-\\u0009` : '';
    return (high > lineFeed ? `${before}\\u000b-${to}` : before) + others;
  }

  /** The other variants of the letters of a range. */
  #variantsIn(low: number, high: number): string {
    if (!this.#ignoresCase) return '';
    const first = Math.max(low, firstLetter);
    if (high - first > maxRange) throw new Untranslatable();
    const found = new Set<number>();
    for (let code = first; code <= high; code += 1) for (const variant of this.#variants(code)) found.add(variant);
    const outside = [...found].filter((code) => code < low || code > high);
    return outside.map((code) => this.#character(code)).join('');
  }

  #variants(code: number): readonly number[] {
    if (!this.#ignoresCase) return [code];
    const variants = caseVariants(code);
    if (variants === undefined) throw new Untranslatable();
    return variants;
  }

  #member(): number {
    return this.#take('\\') ? this.#escaped() : this.#next();
  }

  #shorthandInClass(): string | undefined {
    this.#at += 1;
    const known = this.#shorthand();
    if (known?.isNegated === true) throw new Untranslatable();
    if (known === undefined) this.#at -= 1;
    return known?.inside;
  }

  #shorthand(): { inside: string; isNegated: boolean } | undefined {
    const [letter] = this.#match(/[dDwWsS]/y) ?? [];
    if (letter === undefined) return undefined;
    const known = shorthands.get(letter.toLowerCase()) ?? '';
    // Word boundaries know only ASCII all the same.
    const inside = this.#ignoresCase && /w/i.test(letter) ? `${known}\\u017f\\u212a` : known;
    return { inside, isNegated: /[DWS]/.test(letter) };
  }

  /** The character of an escape whose backslash was read. */
  #escaped(): number {
    const [, braced, plain] = this.#match(/x(?:\{([0-9A-Fa-f]{1,6})\}|([0-9A-Fa-f]{2}))/y) ?? [];
    const hexadecimal = braced ?? plain;
    if (hexadecimal !== undefined) return Number.parseInt(hexadecimal, 16);
    const code = this.#next();
    const letter = String.fromCodePoint(code);
    const control = controls.get(letter);
    if (control !== undefined) return control;
    // Letters and digits stand for something; only signs stand for themselves.
    if (code > 0x7f || /[0-9A-Za-z]/.test(letter)) throw new Untranslatable();
    return code;
  }

  #character(code: number): string {
    if (code > 0xffff) this.#hasAstral = true;
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
  }

  #next(): number {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) throw new Untranslatable();
    this.#at += code > 0xffff ? 2 : 1;
    return code;
  }

  #take(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #rest(length: number): string {
    return this.#pattern.slice(this.#at, this.#at + length);
  }

  #match(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.#at;
    const found = sticky.exec(this.#pattern) ?? undefined;
    if (found !== undefined) this.#at = sticky.lastIndex;
    return found;
  }
}

/** Thrown for a pattern that means something else to JavaScript, or nothing. It never leaves this file. */
class Untranslatable extends Error {
  readonly code = 'untranslatable';
}

function one(source: string): PatternPiece {
  return { source, isNullable: false, ...oneCharacter };
}

function nothing(source: string): PatternPiece {
  return { source, isNullable: true, ...noEffort };
}

const maxLiteral = 32;
/** The most steps of a bounded pattern at each place of a text. */
const maxSteps = 32;
/** Longest range of characters whose variants are looked up. */
const maxRange = 512;
const firstLetter = 0x41;
const lineFeed = 0x0a;
const shorthands: ReadonlyMap<string, string> = new Map([
  ['d', '0-9'],
  ['w', '0-9A-Za-z_'],
  // Without the line feed, which no match contains.
  ['s', '\\t\\f\\r '],
]);
const controls: ReadonlyMap<string, number> = new Map([
  ['a', 0x07],
  ['f', 0x0c],
  ['n', 0x0a],
  ['r', 0x0d],
  ['t', 0x09],
  ['v', 0x0b],
]);
