import type { IndexedRoot, IndexedSearch } from '@loom/kernel/search';

/** A root to be searched: how it is known, and what of it may have a match. */
export interface PlannedRoot {
  root: string;
  /** Number of the log in the index. */
  log: number;
  epoch: string;
  seq: number;
  /** The approximate amount of that text, in UTF-16 code units. */
  size: number;
  /** Numbers of stretches; without it all of the root. */
  candidates?: number[];
}

/** The requests to a thread. */
export type SearchRequest =
  | { type: 'plan'; id: number; search: Pick<IndexedSearch, 'query' | 'roots'> }
  | ({ type: 'scan'; id: number } & ScanTask)
  /** Adds to the index for about so long, the named roots first; `onlyFirst`: no others. */
  | { type: 'index'; id: number; milliseconds: number; first: readonly string[]; onlyFirst?: boolean };

export interface ScanTask {
  /** The identity of the index that the plan was made with. */
  identity: string;
  search: Pick<IndexedSearch, 'query' | 'options'>;
  /** The search it belongs to; each has a higher number than those before. */
  run: number;
  /** The limits of all scans of the search in this thread together. */
  budget: ScanBudget;
  roots: PlannedRoot[];
  /** The start of the scan: in this root, only what comes behind this block. */
  begin?: { root: string; after: string };
}

/** The limits of a search in one thread. */
export interface ScanBudget {
  /** True if JavaScript's own engine may be used. */
  isNative: boolean;
  /** Processor time for everything, reading too. */
  milliseconds: number;
  /** For `re2js`. */
  steps: number;
}

/** The roots and stretches that may have a match. */
export interface SearchPlan {
  identity: string;
  /** The roots, in the order in which they were asked for; those without a log are not indexed up to date. */
  roots: (PlannedRoot | { root: string; log: undefined })[];
  /** True if JavaScript's own engine can be used. */
  isNative: boolean;
}

/** The replies of a thread. */
export type SearchReply =
  | ({ type: 'planned'; id: number } & SearchPlan)
  | { type: 'scanned'; id: number; roots: IndexedRoot[] }
  | { type: 'indexed'; id: number; isDone: boolean }
  | { type: 'failed'; id: number; message: string };

/** The start options of every thread; a script may have more. */
export interface SearchThreadOptions {
  control: Int32Array<SharedArrayBuffer>;
  /** The number of bytes of texts it keeps for the next search. */
  cacheBytes: number;
  /** The longest time that JavaScript's engine may make no progress, in milliseconds of processor time. */
  patience: number;
}

/** The cell of `control` with the number up to which searches are no longer wanted. */
export const cancelCell = 0;
