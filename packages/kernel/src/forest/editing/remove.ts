import type { Decision } from '../../log/log-shape.ts';
import type { RootOp } from '../../op.ts';
import { refuse } from '../../refusal.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { callsIn, resultsBelow } from '../calls.ts';
import { protectedNodes, refuseHiding, refuseLiveTurns, refuseMissingNode } from './obstacles.ts';
import { isVisible, liveChildren, visibleNode } from '../../state/tree/tree.ts';

/** The deletion of a node with everything below it, or of the node alone, whose children then hang where it did. */
export interface RemoveParams {
  node: string;
  children: 'remove' | 'reparent';
}

/** The nodes that became tombstones, without their subtrees, and those that a bookmark kept. */
export interface RemoveValue {
  removed: string[];
  kept: string[];
}

type RemoveDecision = Decision<RootOp, RemoveValue>;

/** Deletes a node. Nothing is lost: a tombstone hides it until it is restored. */
export function decideRemove(state: RootState, _agent: string, { node: id, children }: RemoveParams): RemoveDecision {
  const node = visibleNode(state, id);
  if (node === undefined) return refuseMissingNode(id);
  const obstacle = refuseHiding(state, id);
  if (obstacle !== undefined) return obstacle;
  const removal: RootOp = { type: 'node-removed', node: id };
  if (children === 'remove') return { ok: true, ops: [removal], value: { removed: [id], kept: [] } };
  const answers = callsIn(node.blocks).flatMap((call) => resultsBelow(state, call.id, id));
  if (answers.length > 0) {
    return refuse({ reason: 'results-need-calls', results: answers, by: 'removing', node: id });
  }
  return { ok: true, ops: removeAlone(state, node), value: { removed: [id], kept: [] } };
}

/** The ops that delete a node alone: its children hang where it did. */
export function removeAlone(state: RootState, node: NodeState): RootOp[] {
  const moves = liveChildren(state, node.id).flatMap((child): RootOp[] => {
    const moved: RootOp = { type: 'node-moved', node: child.id, parent: node.parent };
    // A node that continued the deleted one now continues what that one continued, or nothing.
    const torn = child.continues === true && node.continues !== true;
    return torn ? [moved, { type: 'node-changed', node: child.id, set: { continues: null } }] : [moved];
  });
  return [...moves, { type: 'node-removed', node: node.id }];
}

/** Deletes everything below a node or the root, but for subtrees that a bookmark protects. */
export function decideRemoveChildren(state: RootState, _agent: string, { node }: { node: string }): RemoveDecision {
  if (!isVisible(state, node)) return refuseMissingNode(node);
  return removeAll(
    state,
    liveChildren(state, node).map(({ id }) => id),
  );
}

/** Deletes the siblings of a node, but for subtrees that a bookmark protects. */
export function decideRemoveSiblings(state: RootState, _agent: string, { node: id }: { node: string }): RemoveDecision {
  const node = visibleNode(state, id);
  if (node === undefined) return refuseMissingNode(id);
  const siblings = liveChildren(state, node.parent).filter((sibling) => sibling.id !== id);
  return removeAll(
    state,
    siblings.map((sibling) => sibling.id),
  );
}

/** Brings a deleted node back, with the subtree it had when it was deleted. */
export function decideRestore(
  state: RootState,
  _agent: string,
  { node: id }: { node: string },
): Decision<RootOp, { node: string }> {
  const node = state.nodes.get(id);
  if (node === undefined) return refuseMissingNode(id);
  for (let above = state.nodes.get(node.parent); above !== undefined; above = state.nodes.get(above.parent)) {
    if (above.deleted === true) return refuse({ reason: 'node-deleted', node: id, deleted: above.id });
  }
  const ops: RootOp[] = node.deleted === true ? [{ type: 'node-restored', node: id }] : [];
  return { ok: true, ops, value: { node: id } };
}

function removeAll(state: RootState, ids: readonly string[]): RemoveDecision {
  const safe = protectedNodes(state);
  const value: RemoveValue = { removed: [], kept: [] };
  for (const id of ids) (safe.has(id) ? value.kept : value.removed).push(id);
  for (const id of value.removed) {
    const obstacle = refuseLiveTurns(state, id);
    if (obstacle !== undefined) return obstacle;
  }
  return { ok: true, ops: value.removed.map((node) => ({ type: 'node-removed', node })), value };
}
