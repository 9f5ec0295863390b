import { blockFilter } from './block-filter.ts';
import type { BlockFilter, SearchedBlock } from './block-filter.ts';
import type { QueryMatcher } from './query.ts';
import { searchText } from './text-search.ts';
import type { SearchAllowance, TextMatch } from './text-search.ts';

/** A block as it is offered to a search. */
export interface SearchableBlock extends SearchedBlock {
  block_id: string;
  text: string;
}

export interface BlockSearchOptions extends BlockFilter {
  context_lines?: number | undefined;
  max_matches_per_block?: number | undefined;
}

export interface BlockMatches {
  block_id: string;
  path?: string;
  matches: TextMatch[];
  /** Present only if this block has more matches than are listed. */
  truncated?: true;
}

/** A block with a match. */
export interface FoundBlock extends BlockMatches {
  quality: number;
}

/** The matches found in one conversation. */
export interface SearchedRoot {
  root: string;
  /** In the order of a walk from the top. */
  blocks: FoundBlock[];
  /**
   * Present if the search stopped within the conversation: the next one goes on behind this block, or at the beginning
   * without one.
   */
  stop?: { after?: string };
  /** Present if something was left out that no later search would get through either. */
  skipped?: true;
}

export interface RootSearch {
  root: string;
  matcher: QueryMatcher;
  options: BlockSearchOptions;
  /** Used up on the way. */
  allowance: SearchAllowance;
  /** Goes on behind this block; from the beginning if it is gone. */
  after?: string | undefined;
}

/**
 * Searches the blocks of a conversation one after the other until the allowance is used up. At least one block is got through or
 * skipped, so that a search that goes on always ends.
 */
export function searchRoot(blocks: Iterable<SearchableBlock>, search: RootSearch): SearchedRoot {
  const { root, matcher, options, allowance } = search;
  const isWanted = blockFilter(options);
  const text = { context_lines: options.context_lines, max_matches: options.max_matches_per_block };
  const found: FoundBlock[] = [];
  let last = search.after;
  for (const block of blocksBehind(blocks, search.after)) {
    const { block_id, path } = block;
    if (isWanted(block)) {
      const wasFresh = allowance.meter.isFresh;
      const { matches, truncated, quality } = searchText(block.text, matcher, text, allowance);
      const isOut = allowance.meter.exhausted;
      if (isOut && !wasFresh) return { root, blocks: found, stop: stopBehind(last) };
      if (matches.length > 0) {
        const about = { block_id, ...(path !== undefined && { path }) };
        found.push({ ...about, matches, ...(truncated && { truncated }), quality });
      }
      if (isOut) return { root, blocks: found, stop: { after: block_id }, skipped: true };
      if (allowance.matches <= 0 || allowance.characters < 0) return { root, blocks: found, stop: { after: block_id } };
    }
    last = block_id;
  }
  return { root, blocks: found };
}

/** Yields the blocks behind a block, or all of them if it is gone. */
export function blocksBehind<Block extends { block_id: string }>(
  blocks: Iterable<Block>,
  after: string | undefined,
): Block[] {
  const all = [...blocks];
  return after === undefined ? all : all.slice(all.findIndex(({ block_id }) => block_id === after) + 1);
}

function stopBehind(after: string | undefined): { after?: string } {
  return after === undefined ? {} : { after };
}
