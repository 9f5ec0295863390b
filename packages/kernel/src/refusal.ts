import type { Cursor } from './feed.ts';

/** Why something was not done. Nothing of it was done; the message says what to do instead. */
export interface Refusal {
  reason: RefusalReason;
  message: string;
  /** Ids that the refusal is about: the candidates of an ambiguous id, the bookmarks in the way. */
  ids?: string[];
  /** Of `text-mismatch`: what was expected and what is there. */
  expected?: string;
  actual?: string;
  /** Of a refusal about lines: which ones, counted from 0, and how many there are. */
  start_line?: number;
  end_line?: number;
  line?: number;
  line_count?: number;
  /** Of `batch-failed`: which operation is to blame, and for what. */
  op_index?: number;
  refusal?: Refusal;
}

export type RefusalReason =
  | 'unknown-operation'
  | 'root-not-found'
  | 'node-not-found'
  | 'ambiguous-id'
  | 'block-not-found'
  | 'invalid-params'
  | 'empty-message'
  | 'orphan-result'
  | 'not-text'
  | 'line-out-of-range'
  | 'text-mismatch'
  | 'version-mismatch'
  | 'batch-failed'
  | 'invalid-regex'
  | 'bad-status'
  | 'bookmarked'
  | 'changed-since'
  | 'nothing-to-undo'
  | 'nothing-to-answer'
  | 'turn-live'
  | 'turn-ended'
  | 'turn-not-found'
  | 'not-waiting'
  | 'not-permitted'
  | 'already-decided'
  | 'lease-lost';

/** What an operation answered. `cursor`: the place in the log that the answer belongs to, where there is one. */
export type Outcome<T> = { ok: true; value: T; cursor?: Cursor } | { ok: false; refusal: Refusal };

/** What the log answered to a writer: it always has a place. */
export type Written<T> = { ok: true; value: T; cursor: Cursor } | { ok: false; refusal: Refusal };

export function refuse(reason: RefusalReason, message: string, ids?: string[]): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: ids === undefined ? { reason, message } : { reason, message, ids } };
}
