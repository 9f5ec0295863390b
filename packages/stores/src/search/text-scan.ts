import { collectMatches, lineMatches, nativeMatches, nativePattern, searchAllowance } from '@loom/kernel/search';
import type {
  IndexedSearch,
  NativePattern,
  QueryMatcher,
  RequiredLiterals,
  TextSearchResult,
} from '@loom/kernel/search';
import type { JoinedTexts } from './joined-texts.ts';
import type { ScanBudget } from './search-message.ts';
import { runWithin } from './time-limit.ts';
import type { TimeLimit } from './time-limit.ts';

/** Texts of blocks that are to be searched together. */
export interface ScannedTexts {
  texts: JoinedTexts;
  /** The blocks of the texts, by their place among them, that are asked for: from one up to before another, in order. */
  asked: readonly { from: number; to: number }[];
  /** Takes the matches in a block that has some, in order. */
  add(index: number, result: TextSearchResult): void;
  /** Called when all that are asked for were searched up to a block. */
  reached(index: number): void;
  /** Called when one could not be searched to its end, and never will be. */
  skipped(): void;
}

/** The environment of a scan. */
export interface ScanSurroundings {
  /** Returns true once the answer is no longer wanted. */
  isCancelled: () => boolean;
  /** The longest time that engine may make no progress, in milliseconds of processor time; also the interval of the checks. */
  patience: number;
  limit?: TimeLimit;
  /** Returns the processor time this thread has used, in milliseconds. */
  processorTime?: () => number;
}

/** Matches texts, with JavaScript's own engine until it hangs, then with `re2js` and counted steps. Both have one budget. */
export class TextScan {
  readonly #matcher: QueryMatcher;
  readonly #required: RequiredLiterals;
  readonly #options: Parameters<typeof collectMatches>[2];
  readonly #allowance: ReturnType<typeof searchAllowance>;
  readonly #around: ScanSurroundings;
  #native: NativePattern | undefined;
  #milliseconds: number;
  #since: number;
  /** True once it has made progress: a continued search must not end where it began, however busy the machine is. */
  #hasReached = false;

  constructor(
    matcher: QueryMatcher,
    { options }: Pick<IndexedSearch, 'options'>,
    { isNative, milliseconds, steps }: ScanBudget,
    around: ScanSurroundings,
  ) {
    this.#matcher = matcher;
    this.#native = isNative ? nativePattern(matcher) : undefined;
    this.#required = requiredAsWritten(matcher);
    const { context_lines, max_matches_per_block: max_matches } = options;
    this.#options = { context_lines, max_matches, literal: matcher.literal };
    // The caller that combines the answers limits their total.
    this.#allowance = { ...searchAllowance(steps), matches: Infinity, characters: Infinity };
    this.#around = around;
    this.#milliseconds = milliseconds;
    this.#since = this.#processorTime();
  }

  /** True if JavaScript's own engine is used. */
  get isNative(): boolean {
    return this.#native !== undefined;
  }

  /** True once nothing more can be searched, or is wanted. */
  get isOver(): boolean {
    if (this.#around.isCancelled()) return true;
    return this.#hasReached && (this.#allowance.meter.exhausted || this.#milliseconds <= 0);
  }

  /** Searches texts, so many of them as there is time for. */
  search(batch: readonly ScannedTexts[]): void {
    // Texts that only re2js can search are not searched under a time limit: an interruption would spoil its cached state.
    const { native = [], metered = [] } = Object.groupBy(batch, ({ texts }) =>
      this.#expressionFor(texts.isNarrow) === undefined ? 'metered' : 'native',
    );
    this.#spend();
    const done = native.length > 0 ? this.#searchNatively(native) : 0;
    this.#searchMetered(metered);
    // The text it hung in, and the rest.
    if (!this.isNative) this.#searchMetered(native.slice(done));
  }

  /** Returns the number of texts searched. */
  #searchNatively(batch: readonly ScannedTexts[]): number {
    const results: FoundBlock[][] = [];
    const searchNext = (): boolean => {
      const next = batch[results.length];
      if (next === undefined || this.#around.isCancelled()) return false;
      results.push(this.#findNatively(next));
      return true;
    };
    // The first one was not said to be reached yet.
    const isOver = (): boolean => this.isOver || (results.length > 0 && this.#milliseconds <= 0);
    if (this.#native?.isBounded === true) while (!isOver() && searchNext()) this.#spend();
    else this.#searchWatched(searchNext, () => results.length);
    for (const [index, found] of results.entries()) {
      for (const { block, result } of found) batch[index]?.add(block, result);
      const last = batch[index]?.asked.at(-1);
      if (last !== undefined) this.#reach(batch[index], last.to - 1);
    }
    return results.length;
  }

  /** Goes on until there is nothing more, or the engine hangs: it has used all its time and got nowhere. */
  #searchWatched(searchNext: () => boolean, progress: () => number): void {
    const { limit = runWithin, patience } = this.#around;
    let [isEnded, used, reached] = [false, 0, progress()];
    while (!isEnded && this.isNative && !this.isOver && (progress() === 0 || this.#milliseconds > 0)) {
      isEnded = limit(patience, () => {
        while (searchNext());
      });
      const spent = this.#spend();
      // On a busy machine it may have waited instead.
      used = progress() > reached ? 0 : used + spent;
      reached = progress();
      if (!isEnded && used >= patience * mostlyUsed) this.#native = undefined;
    }
  }

  #searchMetered(batch: readonly ScannedTexts[]): void {
    const { meter } = this.#allowance;
    for (const scanned of batch) {
      const { texts, asked } = scanned;
      const isRuledOut = this.#isRuledOut(texts.text);
      for (const block of indexesIn(asked)) {
        if (this.isOver) return;
        const wasFresh = meter.isFresh;
        const content = isRuledOut ? '' : texts.block(block);
        const result = this.#collect(content, lineMatches(content, this.#matcher, meter));
        if (meter.exhausted && !wasFresh) return;
        if (result.matches.length > 0) scanned.add(block, result);
        if (meter.exhausted) scanned.skipped();
        this.#reach(scanned, block);
        this.#spend();
      }
    }
  }

  #reach(scanned: ScannedTexts | undefined, block: number): void {
    scanned?.reached(block);
    this.#hasReached = true;
  }

  /** Subtracts the processor time since the last call from the budget. */
  #spend(): number {
    const now = this.#processorTime();
    const spent = now - this.#since;
    this.#since = now;
    this.#milliseconds -= spent;
    return spent;
  }

  #processorTime(): number {
    return (this.#around.processorTime ?? threadTime)();
  }

  #findNatively({ texts, asked }: ScannedTexts): FoundBlock[] {
    const expression = this.#expressionFor(texts.isNarrow);
    if (expression === undefined || (!expression.probe.isLed && this.#isRuledOut(texts.text))) return [];
    return Array.from(hitBlocks(texts, asked, expression), (block) => {
      const content = texts.block(block);
      return { block, result: this.#collect(content, nativeMatches(content, expression)) };
    }).filter(({ result }) => result.matches.length > 0);
  }

  #expressionFor(isNarrow: boolean): NativeExpression | undefined {
    return isNarrow ? this.#native?.narrow : this.#native?.wide;
  }

  #collect(content: string, matches: ReturnType<typeof lineMatches>): TextSearchResult {
    return collectMatches(content, matches, this.#options, this.#allowance);
  }

  #isRuledOut(text: string): boolean {
    return !this.#required.every((clause) => clause.some((needle) => text.includes(needle)));
  }
}

function threadTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

type NativeExpression = NativePattern['narrow'];

interface FoundBlock {
  block: number;
  result: TextSearchResult;
}

/** The blocks that may have a match, in order; where lines end in another way, all of them. */
function* hitBlocks(
  texts: JoinedTexts,
  asked: ScannedTexts['asked'],
  { probe }: NativeExpression,
): Generator<number, void> {
  if (!texts.isPlain) {
    yield* indexesIn(asked);
    return;
  }
  for (const { from, to } of asked) {
    const start = texts.from(from);
    const text = texts.text.slice(start, texts.to(to - 1));
    const lineFrom = probe.over(text);
    let block = from;
    for (let at = lineFrom(0); at !== -1; at = lineFrom(texts.to(block) + 1 - start)) {
      while (texts.to(block) < start + at) block += 1;
      yield block;
    }
  }
}

function* indexesIn(ranges: ScannedTexts['asked']): Generator<number, void> {
  for (const { from, to } of ranges) for (let index = from; index < to; index += 1) yield index;
}

function requiredAsWritten(matcher: QueryMatcher): RequiredLiterals {
  // The beginning of a long one is found in linear time.
  if (matcher.type === 'literal') return [[matcher.text.slice(0, 32)]];
  return matcher.ignoreCase ? [] : matcher.required;
}

/** Time is counted by the processor, but limited by the clock. */
const mostlyUsed = 0.8;
