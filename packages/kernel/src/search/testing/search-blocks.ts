import type { QueryMatcher } from '../query.ts';
import { searchRoot } from '../root-search.ts';
import type { BlockMatches, BlockSearchOptions, SearchableBlock } from '../root-search.ts';
import { SearchPage } from '../search-page.ts';
import type { SearchPageOptions } from '../search-page.ts';
import { searchAllowance } from '../text-search.ts';

/** Searches blocks in the order given as if they were one conversation, as far as the limits allow. */
export function searchBlocks(
  blocks: Iterable<SearchableBlock>,
  matcher: QueryMatcher,
  options: BlockSearchOptions & SearchPageOptions = {},
  allowance = searchAllowance(),
): { blocks: BlockMatches[]; truncated: boolean } {
  const page = new SearchPage(options);
  page.take(searchRoot(blocks, { root: 'root', matcher, options, allowance }));
  const { blocks: found, truncated } = page.result();
  return { blocks: found, truncated };
}
