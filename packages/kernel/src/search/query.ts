import { MatcherInput, RE2JS, RE2JSException } from 're2js';
import type { Matcher } from 're2js';
import { refuse, refuseValue } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { MeteredText } from './metered-text.ts';
import { nativePattern } from './native/native-pattern.ts';
import { estimateProgramSize } from './program-size.ts';
import { foldedLiterals, requiredLiterals } from './required-literals.ts';
import type { RequiredLiterals } from './required-literals.ts';

export interface Query {
  /** A regular expression in the syntax of RE2, or, with `literal`, a text. */
  query: string;
  literal?: boolean | undefined;
  ignoreCase?: boolean | undefined;
}

/** A query made ready; it may be used for any number of searches. */
export type QueryMatcher = LiteralMatcher | PatternMatcher;

/** Finds one text, as it stands. */
export interface LiteralMatcher {
  type: 'literal';
  text: string;
  /** The same. */
  literal: string;
}

/** Finds what a pattern matches. */
export interface PatternMatcher {
  type: 'pattern';
  /** The text that it was made of, if it finds nothing else. */
  literal: string | undefined;
  pattern: RE2JS;
  /** Made here: searching does not load the engine, only compiling does. */
  matcherOn: (text: MeteredText) => Matcher;
  /** Instructions of the compiled pattern: what one character costs at worst. */
  size: number;
  ignoreCase: boolean;
  /** Finds the same with JavaScript's own engine in a few nanoseconds for each character of any text. */
  quick: RegExp | undefined;
  /** The texts that every matching line contains; with `ignoreCase` as `foldCase` writes it. */
  required: RequiredLiterals;
}

export type CompiledQuery = { ok: true; matcher: QueryMatcher } | Refused;

/** Longest query, in UTF-16 code units. */
export const maxQueryLength = 1_000;

/** Makes a query ready to search with; its work and memory are bounded for every query. */
export function compileQuery({ query, literal = false, ignoreCase = false }: Query): CompiledQuery {
  if (query === '') return refuseValue(['query'], 'is empty: say what to search for');
  if (query.length > maxQueryLength) {
    return refuseValue(['query'], `has ${query.length} characters, at most ${maxQueryLength} are allowed`);
  }
  if (!query.isWellFormed()) return refuseValue(['query'], 'holds half of a surrogate pair: send whole characters');
  if (!ignoreCase && (literal || !metacharacter.test(query)))
    return { ok: true, matcher: { type: 'literal', text: query, literal: query } };
  if (literal || !metacharacter.test(query)) return compilePattern(RE2JS.quote(query), ignoreCase, query);
  // The flag of the syntax says the same as ours, but ours knows a filter.
  return query.startsWith('(?i)') ? compilePattern(query.slice(4), true) : compilePattern(query, ignoreCase);
}

function compilePattern(source: string, ignoreCase: boolean, literal?: string): CompiledQuery {
  // The estimate may be too high, so that it only keeps the compiler from the worst; the compiled size decides.
  if (estimateProgramSize(source) > 8 * maxProgramSize) return refuse({ reason: 'regex-too-large' });
  try {
    const pattern = RE2JS.compile(source, ignoreCase ? RE2JS.CASE_INSENSITIVE : 0);
    const size = pattern.programSize();
    if (size > maxProgramSize) return refuse({ reason: 'regex-too-large' });
    const required = ignoreCase ? foldedLiterals(requiredLiterals(RE2JS.compile(source))) : requiredLiterals(pattern);
    const matcherOn = (text: MeteredText): Matcher => pattern.matcher(MatcherInput.utf16(text));
    const matcher = {
      type: 'pattern' as const,
      literal,
      pattern,
      matcherOn,
      size,
      ignoreCase,
      required,
      quick: undefined,
    };
    return { ok: true, matcher: { ...matcher, quick: quickPattern(matcher) } };
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error;
    return refuse({ reason: 'invalid-regex', problem: error.message });
  }
}

/** A text whose case is ignored; other patterns may take longer. */
function quickPattern(matcher: PatternMatcher): RegExp | undefined {
  const native = matcher.literal === undefined ? undefined : nativePattern(matcher);
  return native?.isBounded === true ? native.wide?.pattern : undefined;
}

const metacharacter = /[\\^$.|?*+()[\]{}]/u;

const maxProgramSize = 2_000;
