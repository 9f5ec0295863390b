import type { Query } from './query.ts';
import type { BlockSearchOptions, SearchedRoot } from './root-search.ts';

/** The query, and the conversations to search. */
export interface IndexedSearch {
  /** A query that `compileQuery` has accepted. */
  query: Query;
  roots: readonly string[];
  /** The blocks to search, and the limits for each. The number of blocks is up to the caller: it stops asking. */
  options: BlockSearchOptions;
  /** Searches the first of the conversations only behind this block. */
  after?: string | undefined;
}

/** The answer of an index about one conversation. */
export type IndexedRoot =
  /** Nothing: the caller must look into it itself. */
  | { type: 'unknown'; root: string }
  /** The same as a search of its state would find. */
  | ({ type: 'searched' } & SearchedRoot);

/**
 * Searches conversations without opening them. It may be deleted and rebuilt at any moment, and says about a conversation only
 * what its log says, up to the last change that was acknowledged before it was asked.
 */
export interface TextIndex {
  /** One answer for each root, in their order. Never rejects: where the index cannot say anything, it says so. */
  search(search: IndexedSearch): AsyncIterable<IndexedRoot>;
  /** Lets go of its files while something is done; nothing is found meanwhile, and everything is looked at again afterwards. */
  whileClosed?<T>(work: () => Promise<T>): Promise<T>;
  /** Ends its work in the background. Idempotent. */
  close(): Promise<void>;
}
