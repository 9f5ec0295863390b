import type { Decision } from '../../log/log-shape.ts';
import type { RootOp } from '../../op.ts';
import { refuse, refuseValue } from '../../refusal.ts';
import type { Refused } from '../../refusal.ts';
import type { RootState } from '../../state/root-state.ts';
import { orphanedResults } from '../calls.ts';
import { refuseLiveTurns, refuseMissingNode, refuseUnderTurn } from './obstacles.ts';
import { isAtOrBelow, isVisible, visibleNode } from '../../state/tree/tree.ts';

/** A node and its new parent, to which it moves with everything below it: a node of the same root, or the root itself. */
export interface MoveParams {
  node: string;
  parent: string;
}

/** Moves a subtree within its root. */
export function decideMove(
  state: RootState,
  _agent: string,
  { node: id, parent }: MoveParams,
): Decision<RootOp, { node: string }> {
  const node = visibleNode(state, id);
  if (node === undefined) return refuseMissingNode(id);
  if (!isVisible(state, parent)) return refuseMissingNode(parent);
  if (parent === node.parent) return { ok: true, ops: [], value: { node: id } };
  const obstacle = refuseLiveTurns(state, id) ?? refuseUnderTurn(state, parent) ?? refusePlace(state, id, parent);
  if (obstacle !== undefined) return obstacle;
  const ops: RootOp[] = [{ type: 'node-moved', node: id, parent }];
  // The node continued its former parent, and nothing else.
  if (node.continues === true) ops.push({ type: 'node-changed', node: id, set: { continues: null } });
  return { ok: true, ops, value: { node: id } };
}

/** Refuses a place where a node would hang below itself, or results would lose their calls. */
export function refusePlace(state: RootState, id: string, parent: string): Refused | undefined {
  if (isAtOrBelow(state, parent, id)) {
    return refuseValue(['parent'], `is ${id} or below it, and a node cannot hang below itself`);
  }
  const orphans = orphanedResults(state, id, parent);
  if (orphans.length === 0) return undefined;
  return refuse({ reason: 'results-need-calls', results: orphans, by: 'moving', node: id });
}
