import type { Refusal, RefusalReason } from '@loom/kernel';

/** Says why something was not done, and what to do, in words for the reader of the page. */
export function describeRefusal(refusal: Refusal): string {
  const { reason } = refusal;
  const [problem] = reason === 'invalid-params' ? refusal.problems : [];
  if (problem !== undefined) {
    return `Loom refused this: ${problem.path.join('.')} ${problem.problem}. Nothing was changed.`;
  }
  return words[reason] ?? `Loom refused this (${reason}). Nothing was changed.`;
}

/** The refusals that a reader may meet; the others speak of programs that call operations. */
const words: { readonly [Reason in RefusalReason]?: string } = {
  'root-not-found': 'This conversation no longer exists, or you don’t have access to it.',
  'root-deleted': 'This conversation is deleted. Restore it first.',
  'node-not-found': 'This message no longer exists.',
  'node-deleted': 'This message is deleted. Bring it back first.',
  'block-not-found': 'This block no longer exists.',
  'not-permitted': 'You are not allowed to do this here. Ask the owner of this Loom for a token that is.',
  'turn-live': 'A model is still at work here. Stop it first, or wait until it is done.',
  'turn-ended': 'The model has ended meanwhile. Send it as a new message.',
  'turn-not-found': 'The model has ended meanwhile. Send it as a new message.',
  'empty-message': 'There is nothing to send yet.',
  'prompt-not-found': 'This prompt no longer exists.',
  'unknown-provider': 'This model is no longer available. Choose another one.',
  'takes-no-prefix': 'This model cannot go on with an answer from its end. Run it again instead.',
  'nothing-to-answer': 'There is no message above that a model could answer.',
  'nothing-to-undo': 'There is nothing of yours to undo.',
  'changed-since': 'This can no longer be undone: there are new messages below it.',
  'text-mismatch': 'The text was changed meanwhile. Yours is kept below; look at the new one before you save.',
  'orphan-result': 'A branch cannot begin between a call of a tool and its result. Begin it after the result.',
  'bad-status': 'This is still being written. Wait until it is done.',
  bookmarked: 'A bookmark protects these messages. Remove the bookmark first.',
  'message-taken': 'The model has heard this message meanwhile.',
  'already-decided': 'This was answered already.',
  'not-waiting': 'This no longer waits for an answer.',
  'call-changed': 'The call has changed since you saw it. Look at it again.',
  'invalid-regex': 'This is not a regular expression that Loom understands.',
  'regex-too-large': 'This regular expression is too large. Make it shorter.',
};
