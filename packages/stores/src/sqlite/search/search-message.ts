import type { IndexedRoot, IndexedSearch } from '@loom/kernel/search';

/** A root to be searched: how it is known, and what of it may have a match. */
export interface PlannedRoot {
  root: string;
  /** Number of the log in the index. */
  log: number;
  epoch: string;
  seq: number;
  /** How much text that is, in UTF-16 code units, about. */
  size: number;
  /** Numbers of stretches; without it all of the root. */
  candidates?: number[];
}

/** What a thread is asked. */
export type SearchRequest =
  | { type: 'plan'; id: number; search: Pick<IndexedSearch, 'query' | 'roots'> }
  | ({ type: 'scan'; id: number } & ScanTask)
  /** Adds to the index for about so long, first what is named. */
  | { type: 'index'; id: number; milliseconds: number; first: readonly string[] };

export interface ScanTask {
  /** Of the index that the plan was made with. */
  identity: string;
  search: Pick<IndexedSearch, 'query' | 'options'>;
  /** Which search it belongs to; each has a higher number than those before. */
  run: number;
  /** What all scans of the search may do together in this thread. */
  budget: ScanBudget;
  roots: PlannedRoot[];
  /** Of this root only what comes behind this block. */
  begin?: { root: string; after: string };
}

/** What a search may do in a thread. */
export interface ScanBudget {
  /** Whether JavaScript's own engine may be used. */
  isNative: boolean;
  /** Processor time for everything, reading too. */
  milliseconds: number;
  /** For `re2js`. */
  steps: number;
}

/** Where to look for something. */
export interface SearchPlan {
  identity: string;
  /** In the order in which they were asked for; those without a log are not known as they are. */
  roots: (PlannedRoot | { root: string; log: undefined })[];
  /** Whether JavaScript's own engine can be used. */
  isNative: boolean;
}

/** What a thread answers. */
export type SearchReply =
  | ({ type: 'planned'; id: number } & SearchPlan)
  | { type: 'scanned'; id: number; roots: IndexedRoot[] }
  | { type: 'indexed'; id: number; isDone: boolean }
  | { type: 'failed'; id: number; message: string };

/** What a thread is told when it starts. */
export interface SearchThreadOptions {
  /** Where `loom.db` is; the index lies beside it. */
  directory: string;
  control: Int32Array<SharedArrayBuffer>;
  /** How many bytes of texts it keeps for the next search. */
  cacheBytes: number;
  /** How long JavaScript's engine may not get on, in milliseconds of processor time. */
  patience: number;
}

/** In `control`: searches up to this number are not wanted any more. */
export const cancelCell = 0;
