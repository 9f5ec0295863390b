import { blockFilter } from './block-filter.ts';
import type { BlockFilter, SearchedBlock } from './block-filter.ts';
import type { QueryMatcher } from './query.ts';
import { searchAllowance, searchText } from './text-search.ts';
import type { SearchAllowance, TextMatch } from './text-search.ts';

/** A block as it is offered to a search. */
export interface SearchableBlock extends SearchedBlock {
  block_id: string;
  text: string;
}

export interface BlockSearchOptions extends BlockFilter {
  context_lines?: number | undefined;
  max_matches_per_block?: number | undefined;
  max_blocks?: number | undefined;
}

export interface BlockMatches {
  block_id: string;
  path?: string;
  matches: TextMatch[];
  /** There only if this block has more matches than are listed. */
  truncated?: true;
}

export interface BlockSearchResult {
  blocks: BlockMatches[];
  /** Something was left out: matches of a block, whole blocks, or what the search did not come to see. */
  truncated: boolean;
}

/** Searches blocks one after the other, so that the caller may do other things between two of them. */
export class BlockSearch {
  readonly #matcher: QueryMatcher;
  readonly #options: BlockSearchOptions;
  readonly #isWanted: (block: SearchedBlock) => boolean;
  readonly #maxBlocks: number;
  readonly #allowance: SearchAllowance;
  readonly #blocks: BlockMatches[] = [];
  #truncated = false;
  #full = false;

  constructor(matcher: QueryMatcher, options: BlockSearchOptions = {}, allowance: SearchAllowance = searchAllowance()) {
    this.#matcher = matcher;
    this.#options = options;
    this.#isWanted = blockFilter(options);
    this.#maxBlocks = options.max_blocks ?? 100;
    this.#allowance = allowance;
  }

  /** True when no further block will be looked at. */
  get full(): boolean {
    return this.#full;
  }

  /** Whether a block would be searched: the filters need no text, so that a caller can ask before it reads one. */
  wants(block: Omit<SearchableBlock, 'text'>): boolean {
    return this.#isWanted(block);
  }

  /** Searches one more block; returns whether the search is full. */
  add(block: SearchableBlock): boolean {
    if (this.#full || !this.wants(block) || !this.#hasRoom()) return this.#full;
    const { context_lines, max_matches_per_block: max_matches } = this.#options;
    const { matches, truncated } = searchText(
      block.text,
      this.#matcher,
      { context_lines, max_matches },
      this.#allowance,
    );
    return this.#note(block, matches, truncated);
  }

  /** Takes in what another searcher has found in the next block that is wanted and has a match; returns whether the search is full. */
  take(found: BlockMatches): boolean {
    if (this.#full || !this.#hasRoom()) return this.#full;
    const matches: TextMatch[] = [];
    for (const match of found.matches.slice(0, this.#allowance.matches)) {
      this.#allowance.characters -= match.content.length;
      if (this.#allowance.characters < 0) break;
      matches.push(match);
    }
    this.#allowance.matches -= matches.length;
    return this.#note(found, matches, found.truncated === true || matches.length < found.matches.length);
  }

  /** Something was not looked at, because there was no more work to spend: the result says so, and nothing more is looked at. */
  noteUnseen(): void {
    this.#truncated = true;
    this.#full = true;
  }

  /** Something cannot be looked at: the result says that it does not have everything, and the search goes on. */
  noteUnreadable(): void {
    this.#truncated = true;
  }

  result(): BlockSearchResult {
    return { blocks: this.#blocks, truncated: this.#truncated };
  }

  /** Only a block that is left out makes the result incomplete. */
  #hasRoom(): boolean {
    this.#full = this.#blocks.length >= this.#maxBlocks || this.#allowance.matches <= 0;
    this.#truncated ||= this.#full;
    return !this.#full;
  }

  #note(
    { block_id, path }: { block_id: string; path?: string | undefined },
    matches: TextMatch[],
    truncated: boolean,
  ): boolean {
    if (matches.length > 0) {
      this.#blocks.push({
        block_id,
        ...(path !== undefined && { path }),
        matches,
        ...(truncated && { truncated }),
      });
    }
    this.#truncated ||= truncated;
    this.#full = this.#allowance.meter.exhausted || this.#allowance.characters < 0;
    return this.#full;
  }
}
