import { liveTurnAnswering, refuseMissingNode } from '../forest/editing/obstacles.ts';
import { isVisible, pathTo } from '../state/tree/tree.ts';
import { refuse } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import type { RootState } from '../state/root-state.ts';

/**
 * Returns the message to answer, perhaps again, when a person asks for an answer at a node: the nearest message of a user,
 * there or above.
 */
export function messageToAnswer(state: RootState, node: string): string | undefined {
  return pathTo(state, node).findLast(({ role }) => role === 'user')?.id;
}

/** The message that a retry at a node answers. While a turn answers it already, another one would only cost. */
export function chooseRetried(state: RootState, node: string): { ok: true; node: string } | Refused {
  if (node === state.id || !isVisible(state, node)) return refuseMissingNode(node);
  const message = messageToAnswer(state, node);
  if (message === undefined) {
    return refuse({ reason: 'nothing-to-answer', node });
  }
  const live = liveTurnAnswering(state, message);
  if (live === undefined) return { ok: true, node: message };
  return refuse({ reason: 'turn-live', turns: [live], node: message, where: 'answering' });
}
