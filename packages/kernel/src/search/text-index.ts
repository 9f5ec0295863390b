import type { BlockMatches, BlockSearchOptions } from './block-search.ts';
import type { Query } from './query.ts';

/** What to look for, and in which conversations. */
export interface IndexedSearch {
  /** A query that `compileQuery` has accepted. */
  query: Query;
  roots: readonly string[];
  /** Which blocks, and how much of each. How many blocks is the caller's business: it stops asking. */
  options: BlockSearchOptions;
}

/** What an index says about one conversation. */
export type IndexedRoot =
  /** Nothing: the caller must look into it itself. */
  | { type: 'unknown'; root: string }
  | {
      type: 'searched';
      root: string;
      /** In the order of a walk from the top, like those of a search without an index. */
      blocks: BlockMatches[];
      /** Not everything was looked at. */
      truncated: boolean;
    };

/**
 * Searches conversations without opening them. It may be deleted and rebuilt at any moment, and says about a conversation only
 * what its log says, up to the last change that was acknowledged before it was asked.
 */
export interface TextIndex {
  /** One answer for each root, in their order. Never rejects: where the index cannot say anything, it says so. */
  search(search: IndexedSearch): AsyncIterable<IndexedRoot>;
  /** Ends what it does in the background. Idempotent. */
  close(): Promise<void>;
}
