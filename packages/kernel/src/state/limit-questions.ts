import type { Ask } from '../op.ts';
import type { NodeState } from './node-state.ts';
import type { RootState, TurnState } from './root-state.ts';
import { isVisible } from './tree/tree.ts';

/** The name that stands in the place of a tool where a person is asked about a spending limit. */
export const limitTool = 'spending-limit';

/** A turn that has ended at a spending limit, and waits for a person to let it go on or to leave it. */
export interface LimitQuestion {
  turn: TurnState;
  /** The node that the turn ended with: a decision names it. */
  node: NodeState;
  ask: Ask;
  /** The amounts that the person is shown, as a decision is bound to them. */
  arguments: string;
}

/** Returns the spending limits that wait for a person: their turn is over, and nothing was said below it since. */
export function limitQuestions(state: RootState): LimitQuestion[] {
  const found: LimitQuestion[] = [];
  for (const turn of state.turns.values()) {
    const question = turn.ended?.reason === 'limit' ? questionOf(state, turn) : undefined;
    if (question !== undefined) found.push(question);
  }
  return found;
}

/** Returns the question at a node, if it is one about a spending limit. */
export function limitQuestionAt(state: RootState, id: string): LimitQuestion | undefined {
  const turn = state.turns.get(state.nodes.get(id)?.turn ?? '');
  const question = turn?.ended?.reason === 'limit' ? questionOf(state, turn) : undefined;
  return question?.node.id === id ? question : undefined;
}

function questionOf(state: RootState, turn: TurnState): LimitQuestion | undefined {
  const node = lastNode(state, turn);
  if (node === undefined || state.approvals.has(node.id) || !isVisible(state, node.id)) return undefined;
  if ((state.children.get(node.id) ?? []).some((child) => isVisible(state, child))) return undefined;
  const message = turn.ended?.error?.message ?? 'A spending limit is reached.';
  const text = `${message} If it is approved, the turn goes on and may spend as much again.`;
  const ask = { kind: 'ask' as const, preview: [{ type: 'text' as const, text }] };
  return { turn, node, ask, arguments: JSON.stringify({ message }) };
}

/** Returns the last node that a turn has written. */
function lastNode(state: RootState, turn: TurnState): NodeState | undefined {
  let last: NodeState | undefined;
  for (let id: string | undefined = turn.node; id !== undefined;) {
    id = state.children.get(id)?.find((child) => state.nodes.get(child)?.turn === turn.id);
    last = id === undefined ? last : state.nodes.get(id);
  }
  return last;
}
