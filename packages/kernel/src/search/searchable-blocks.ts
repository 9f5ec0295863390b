import { visibleBlocks } from '../forest/reading/block-walk.ts';
import { contentOf } from '../forest/reading/block-place.ts';
import type { RootState } from '../state/root-state.ts';
import { searchedBlock } from './block-filter.ts';
import type { SearchableBlock } from './root-search.ts';

/** Every block of a conversation that can be seen, in the order of a walk from the top, as a search looks at it. */
export function* searchableBlocks(state: RootState): Generator<SearchableBlock> {
  for (const { node, block } of visibleBlocks(state)) {
    yield {
      ...searchedBlock(node, block),
      block_id: block.block_id ?? '',
      root: state.id,
      text: contentOf(block),
    };
  }
}
