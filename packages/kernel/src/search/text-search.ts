import { lineMatches } from './line-matches.ts';
import type { LineMatch } from './line-matches.ts';
import { MatchContent } from './match-content.ts';
import type { QueryMatcher } from './query.ts';
import { WorkMeter } from './work-meter.ts';

export interface TextMatch {
  /** Counted from 0. */
  line: number;
  /** The matched line between its context lines, joined by `\n`, without line endings; very long lines are clipped. */
  content: string;
  /** UTF-16 columns in the whole line, never inside a surrogate pair. */
  match_start: number;
  match_end: number;
}

export interface TextSearchResult {
  matches: TextMatch[];
  /**
   * True if there are more matches than were asked for or may be returned, or the search ended before it had seen the whole
   * text.
   */
  truncated: boolean;
  /** The quality of the best match; only compared with others. */
  quality: number;
}

export interface TextSearchOptions {
  /** Lines shown before and after the matched one. */
  context_lines?: number | undefined;
  max_matches?: number | undefined;
}

/** The most matches that one search returns, whatever was asked for. */
const maxSearchMatches = 10_000;

/** Every match of a query in a text, in order; several in one line are several results. */
export function searchText(
  text: string,
  matcher: QueryMatcher,
  options: TextSearchOptions = {},
  allowance: SearchAllowance = searchAllowance(),
): TextSearchResult {
  const found = lineMatches(text, matcher, allowance.meter);
  return collectMatches(text, found, { ...options, literal: matcher.literal }, allowance);
}

/** Matches that were found in a text as they are answered, so many as are wanted and allowed. */
export function collectMatches(
  text: string,
  found: Iterable<LineMatch>,
  { context_lines: contextLines = 2, max_matches: maxMatches = 20, literal }: TextSearchOptions & RankedBy,
  allowance: SearchAllowance,
): TextSearchResult {
  const matches: TextMatch[] = [];
  let quality = 0;
  const wanted = Math.min(maxMatches, allowance.matches);
  const content = new MatchContent(text, contextLines);
  const lines = new LineCounter(text);
  for (const match of found) {
    // One more than wanted is looked for: only then it is known that something was left out.
    if (matches.length >= wanted) return { matches, truncated: true, quality };
    const shown = toTextMatch(match, lines, content);
    allowance.characters -= shown.content.length;
    if (allowance.characters < 0) return { matches, truncated: true, quality };
    allowance.matches -= 1;
    matches.push(shown);
    quality = Math.max(quality, qualityOf(text, match, literal));
  }
  return { matches, truncated: allowance.meter.exhausted, quality };
}

interface RankedBy {
  /** The text that was looked for, if it was one. */
  literal?: string | undefined;
}

/** A whole word is better than a part of one, and best as it was typed. */
function qualityOf(text: string, { start, end }: LineMatch, literal: string | undefined): number {
  const isPart = wordPart.test(text.slice(Math.max(0, start - 1), start)) || wordPart.test(text.slice(end, end + 1));
  if (isPart) return 0;
  return literal === undefined || text.startsWith(literal, start) ? 2 : 1;
}

/** The work and results that a whole search is allowed, over however many texts; it is used up on the way. */
export interface SearchAllowance {
  meter: WorkMeter;
  matches: number;
  /** UTF-16 code units of `content` in all results together. */
  characters: number;
}

/** A fresh allowance; `steps` other than the default only where the caller yields between texts, or to test. */
export function searchAllowance(steps?: number): SearchAllowance {
  return { meter: new WorkMeter(steps), matches: maxSearchMatches, characters: maxContentCharacters };
}

function toTextMatch({ from, to, start, end }: LineMatch, lines: LineCounter, content: MatchContent): TextMatch {
  const match_start = start - from;
  const match_end = end - from;
  return {
    line: lines.lineAt(from),
    content: content.around(from, to, match_start, match_end),
    match_start,
    match_end,
  };
}

/** Counts lines up to offsets that never go back, so that a text is counted once. */
class LineCounter {
  readonly #text: string;
  #offset = 0;
  #line = 0;

  constructor(text: string) {
    this.#text = text;
  }

  lineAt(lineStart: number): number {
    while (this.#offset < lineStart) {
      this.#offset = this.#text.indexOf('\n', this.#offset) + 1;
      this.#line += 1;
    }
    return this.#line;
  }
}

const wordPart = /[\p{L}\p{N}_]/u;
const maxContentCharacters = 4_000_000;
