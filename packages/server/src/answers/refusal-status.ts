import type { RefusalReason } from '@loom/kernel';

/**
 * The HTTP status of each refusal. 404: what is named is not there; 410: it is deleted; 400: the request cannot be understood; 422: it
 * is understood and cannot be meant; 403: the caller may not; 409: how things are now stands against it.
 */
export const statusOfRefusal: Readonly<Record<RefusalReason, RefusalStatus>> = {
  'root-not-found': 404,
  'root-deleted': 410,
  'not-by-model': 409,
  'node-not-found': 404,
  'node-deleted': 410,
  'ambiguous-id': 409,
  'block-not-found': 404,
  'version-not-found': 404,
  'turn-not-found': 404,
  'call-not-found': 404,
  'job-not-found': 404,
  'unknown-provider': 422,
  'settings-failed': 409,
  'unknown-operation': 404,
  'invalid-params': 400,
  'request-reused': 409,
  'unknown-client': 409,
  'not-permitted': 403,
  'empty-message': 422,
  'orphan-result': 422,
  'results-need-calls': 409,
  'cannot-merge': 409,
  'not-text': 422,
  'line-out-of-range': 422,
  'text-mismatch': 409,
  'version-mismatch': 409,
  'batch-failed': 409,
  'patch-failed': 409,
  'text-replaced': 409,
  'invalid-regex': 400,
  'regex-too-large': 400,
  'bad-status': 409,
  bookmarked: 409,
  'changed-since': 409,
  'nothing-to-undo': 409,
  'nothing-to-answer': 409,
  'turn-live': 409,
  'takes-no-prefix': 422,
  'turn-ended': 409,
  'not-waiting': 409,
  'already-decided': 409,
  'message-taken': 409,
  'call-changed': 409,
  'lease-lost': 409,
};

export type RefusalStatus = 400 | 403 | 404 | 409 | 410 | 422;
