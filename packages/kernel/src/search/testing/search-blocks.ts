import { BlockSearch } from '../block-search.ts';
import type { BlockSearchOptions, BlockSearchResult, SearchableBlock } from '../block-search.ts';
import type { QueryMatcher } from '../query.ts';

/** Searches blocks in the order given, as far as the limits allow. */
export function searchBlocks(
  blocks: Iterable<SearchableBlock>,
  matcher: QueryMatcher,
  options: BlockSearchOptions = {},
): BlockSearchResult {
  const search = new BlockSearch(matcher, options);
  for (const block of blocks) {
    if (search.add(block)) break;
  }
  return search.result();
}
