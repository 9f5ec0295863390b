import { collectMatches, lineMatches, nativeMatches, nativePattern, searchAllowance } from '@loom/kernel/search';
import type {
  IndexedSearch,
  NativePattern,
  QueryMatcher,
  RequiredLiterals,
  TextSearchResult,
} from '@loom/kernel/search';
import type { ChunkPiece } from './chunk-texts.ts';
import type { ScanBudget } from './search-message.ts';

/** Matches texts, with JavaScript's own engine for so long as it may, or with `re2js` and counted steps. */
export class TextScan {
  readonly #matcher: QueryMatcher;
  readonly #native: NativePattern | undefined;
  readonly #required: RequiredLiterals;
  readonly #options: { context_lines?: number | undefined; max_matches?: number | undefined };
  readonly #allowance: ReturnType<typeof searchAllowance>;
  #milliseconds: number;

  constructor(
    matcher: QueryMatcher,
    { options }: Pick<IndexedSearch, 'options'>,
    { isNative, milliseconds, steps }: ScanBudget,
  ) {
    this.#matcher = matcher;
    this.#native = isNative ? nativePattern(matcher) : undefined;
    this.#required = requiredAsWritten(matcher);
    this.#options = { context_lines: options.context_lines, max_matches: options.max_matches_per_block };
    // How much is answered in all is up to whoever puts the answers together.
    this.#allowance = { ...searchAllowance(steps), matches: Infinity, characters: Infinity };
    this.#milliseconds = milliseconds;
  }

  get budget(): ScanBudget {
    return {
      isNative: this.#native !== undefined,
      milliseconds: this.#milliseconds,
      steps: this.#allowance.meter.left,
    };
  }

  /** Whether JavaScript's own engine is used: then its time is counted, else the steps and whatever else is done on the way. */
  get isNative(): boolean {
    return this.#native !== undefined;
  }

  /** Takes the processor time since a moment from what there is. */
  spendSince(start: NodeJS.CpuUsage): void {
    const { user, system } = process.threadCpuUsage(start);
    this.#milliseconds -= (user + system) / 1_000;
  }

  /** Nothing more can be looked at. */
  get isSpent(): boolean {
    return this.#allowance.meter.exhausted || this.#milliseconds < 0;
  }

  /** Searches blocks of a piece; calls back for those with a match. Nothing stops it within a block but the end of the thread. */
  scan(
    text: string,
    { place, blocks, ends }: ChunkPiece,
    isAsked: (block: number) => boolean,
    found: (block: number, result: TextSearchResult) => void,
  ): void {
    if (!this.#required.every((clause) => clause.some((needle) => text.includes(needle)))) return;
    const start = process.threadCpuUsage();
    let to = 0;
    for (const [index, block] of blocks.entries()) {
      const from = to;
      to = ends[index] ?? from;
      if (!isAsked(block)) continue;
      const content = text.slice(from, to);
      const pattern = this.#patternFor(place, content);
      // Most blocks have no match, and that is said faster; but lines that end in \r\n are to be looked at one by one.
      if (pattern?.test(content) === false && !content.includes('\r\n')) continue;
      const matches =
        pattern === undefined
          ? lineMatches(content, this.#matcher, this.#allowance.meter)
          : nativeMatches(content, pattern);
      const result = collectMatches(content, matches, this.#options, this.#allowance);
      if (result.matches.length > 0) found(block, result);
      if (this.isSpent) break;
    }
    if (this.isNative) this.spendSince(start);
  }

  #patternFor(place: ChunkPiece['place'], content: string): RegExp | undefined {
    if (this.#native === undefined) return undefined;
    const isNarrow = place === 'narrow' || (place === 'other' && !/[\u0100-\uffff]/.test(content));
    const pattern = isNarrow ? this.#native.narrow : this.#native.wide;
    if (pattern !== undefined) pattern.lastIndex = 0;
    return pattern;
  }
}

function requiredAsWritten(matcher: QueryMatcher): RequiredLiterals {
  // The beginning of a long one is found in linear time.
  if (matcher.type === 'literal') return [[matcher.text.slice(0, 32)]];
  return matcher.ignoreCase ? [] : matcher.required;
}
