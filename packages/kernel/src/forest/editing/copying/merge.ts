import type { MessageBlock } from '@loom/blocks';
import type { Decision } from '../../../log/log-shape.ts';
import type { NodeState } from '../../../state/node-state.ts';
import type { NodeFields, RootOp } from '../../../op.ts';
import { refuse } from '../../../refusal.ts';
import type { RefusalOf, Refused } from '../../../refusal.ts';
import type { RootState } from '../../../state/root-state.ts';
import type { TextEditor } from '../text/text-editor.ts';
import { editOp, editUnit } from '../text/text-ops.ts';
import { copiesByOriginal, copyBlocks, extendExclusions } from './copy.ts';
import {
  liveTurnAnswering,
  refuseBookmarked,
  refuseLiveTurns,
  refuseMissingNode,
  refuseUnfinished,
} from '../obstacles.ts';
import { isAtOrBelow, visibleNode } from '../../../state/tree/tree.ts';

/** The node that takes its parent's text into itself. */
export interface MergeParams {
  node: string;
}

/**
 * Makes one message of a node and its parent: the node keeps its id and children, takes copies of the parent's blocks and
 * hangs where the parent does. The parent stays for its other children, and becomes a tombstone without any.
 */
export function decideMerge(
  state: RootState,
  agent: string,
  { node: id }: MergeParams,
  editor: () => TextEditor,
): Decision<RootOp, { node: string }> {
  const node = visibleNode(state, id);
  if (node === undefined) return refuseMissingNode(id);
  const parent = state.nodes.get(node.parent);
  const childless = state.index.liveChildCount(node.parent) === 1;
  const obstacle =
    refuseMerging(state, node, parent) ?? (childless ? refuseMergedParent(state, node.parent) : undefined);
  if (parent === undefined || obstacle !== undefined) return obstacle ?? refuseMissingNode(node.parent);

  const [first] = node.blocks;
  const last = parent.blocks.at(-1);
  const seam = node.continues === true && first?.type === 'text' && last?.type === 'text' ? { first, last } : undefined;
  const copied = seam === undefined ? parent.blocks : parent.blocks.slice(0, -1);
  const copies = copyBlocks(state, agent, copied);
  const known = copiesByOriginal(copies);
  if (seam !== undefined && excludedApart(state, parent, node)) {
    return refuse({ reason: 'cannot-merge', node: id, because: 'half-hidden' });
  }
  const ops: RootOp[] = copies.map((block, index) => ({ type: 'block-added', node: id, index, block }));
  // The seam disappears: the parent's last text goes before the node's first, in the node's own block.
  if (seam?.first.block_id !== undefined && seam.last.text !== '') {
    const splices = [{ at: 0, delete: 0, insert: seam.last.text }];
    ops.push(editOp(state, editor(), { unit: editUnit(state) }, seam.first.block_id, splices));
  }
  const set = mergedFields(node, parent, known);
  if (Object.keys(set).length > 0) ops.push({ type: 'node-changed', node: id, set });
  ops.push(...extendExclusions(state, known, id));
  ops.push({ type: 'node-moved', node: id, parent: parent.parent });
  if (childless) ops.push({ type: 'node-removed', node: parent.id });
  return { ok: true, ops, value: { node: id } };
}

function refuseMerging(state: RootState, node: NodeState, parent: NodeState | undefined): Refused | undefined {
  const refuseFor = (because: RefusalOf<'cannot-merge'>['because']): Refused =>
    refuse({ reason: 'cannot-merge', node: node.id, because });
  if (parent === undefined) return refuseFor('first-message');
  if (node.role !== parent.role || node.role === 'tool' || ![node, parent].every(isTextOnly)) {
    return refuseFor('not-only-text');
  }
  if (node.context_start === true) return refuseFor('context-start');
  return refuseUnfinished(state, node) ?? refuseUnfinished(state, parent) ?? refuseLiveTurns(state, node.id);
}

/** The parent will be hidden, and the node is moved from under it first, so only the parent itself counts. */
function refuseMergedParent(state: RootState, parent: string): Refused | undefined {
  if (state.bookmarks.has(parent)) return refuseBookmarked([parent]);
  const turn = liveTurnAnswering(state, parent);
  return turn === undefined
    ? undefined
    : refuse({ reason: 'turn-live', turns: [turn], node: parent, where: 'answering' });
}

/** Returns true if a node hides one side of the seam between two nodes from models and not the other. */
function excludedApart(state: RootState, parent: NodeState, node: NodeState): boolean {
  const [left, right] = [parent.blocks.at(-1), node.blocks[0]].map(
    (block) =>
      new Set(
        [...state.index.excludersOf(block?.block_id ?? '')].filter(
          (id) => id === parent.id || isAtOrBelow(state, id, node.id),
        ),
      ),
  );
  return left === undefined || right === undefined || left.symmetricDifference(right).size > 0;
}

/** The marks of the merged node: those of both, the node's own first. */
function mergedFields(node: NodeState, parent: NodeState, copies: ReadonlyMap<string, string>): NodeFields {
  const set: NodeFields = {};
  if (node.continues !== parent.continues) set.continues = parent.continues ?? null;
  if (parent.context_start === true) set.context_start = true;
  if (node.title === undefined && parent.title !== undefined) set.title = parent.title;
  if (node.tags === undefined && parent.tags !== undefined) set.tags = [...parent.tags];
  const hidden = new Set([...(parent.exclude ?? []), ...(node.exclude ?? [])].map((id) => copies.get(id) ?? id));
  if (parent.exclude !== undefined || node.exclude?.some((id) => copies.has(id))) set.exclude = [...hidden];
  return set;
}

function isTextOnly({ blocks }: { blocks: readonly MessageBlock[] }): boolean {
  return blocks.every(({ type }) => type === 'text');
}
