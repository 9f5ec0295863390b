import { isBlank } from '@loom/blocks';
import type { NodeState } from '../../../state/node-state.ts';
import { refuse } from '../../../refusal.ts';
import type { Refused } from '../../../refusal.ts';

/**
 * Returns true if a node that holds only these texts says nothing. A result always says that its call was answered; blanks
 * that continue another text are part of that text.
 */
export function wouldSayNothing({ role, continues }: NodeState, texts: readonly string[]): boolean {
  return role !== 'tool' && texts.every((text) => (continues === true ? text === '' : isBlank(text)));
}

export function refuseEmpty({ id }: NodeState): Refused {
  return refuse({ reason: 'empty-message', node: id });
}
