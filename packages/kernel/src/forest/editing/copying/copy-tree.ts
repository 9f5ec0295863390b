import type { Decision } from '../../../log/log-shape.ts';
import type { NodeState } from '../../../state/node-state.ts';
import type { NodeFields, RootOp } from '../../../op.ts';
import { refuse, refuseValue } from '../../../refusal.ts';
import type { RootState } from '../../../state/root-state.ts';
import { callsIn, findCalls } from '../../calls.ts';
import { copiesByOriginal, copyBlocks, copySeed } from './copy.ts';
import { refuseMissingNode, refuseUnderTurn } from '../obstacles.ts';
import { isVisible } from '../../../state/tree/tree.ts';

/** Nodes of another root, parents before children, the first at the top, and where to put their copies. */
export interface CopyTreeParams {
  parent: string;
  nodes: readonly NodeState[];
}

/** Copies a subtree from another root. Each block names its original. */
export function decideCopyTree(
  state: RootState,
  agent: string,
  { parent, nodes }: CopyTreeParams,
): Decision<RootOp, { node: string }> {
  if (!isVisible(state, parent)) return refuseMissingNode(parent);
  const [top] = nodes;
  if (top === undefined) return refuseValue(['nodes'], 'must not be empty');
  const obstacle = refuseUnderTurn(state, parent);
  if (obstacle !== undefined) return obstacle;
  const orphans = orphansIn(state, parent, nodes);
  if (orphans.length > 0) {
    return refuse({ reason: 'results-need-calls', results: orphans, by: 'copying', node: top.id });
  }
  const ids = new Map([[top.parent, parent]]);
  const copies = new Map<string, string>();
  const ops: RootOp[] = [];
  for (const node of nodes) {
    const blocks = copyBlocks(state, agent, node.blocks);
    for (const [from, to] of copiesByOriginal(blocks)) copies.set(from, to);
    const id = state.newNodeId();
    const { continues, ...seed } = copySeed(node);
    const joined = continues === true && node !== top ? { continues } : {};
    ops.push({ type: 'node-added', node: { ...seed, ...joined, id, parent: ids.get(node.parent) ?? parent, blocks } });
    const set = marksOf(node, copies);
    if (Object.keys(set).length > 0) ops.push({ type: 'node-changed', node: id, set });
    ids.set(node.id, id);
  }
  return { ok: true, ops, value: { node: ids.get(top.id) ?? top.id } };
}

/** Returns the marks of a node, without hidden blocks that did not come along. */
function marksOf(node: NodeState, copies: ReadonlyMap<string, string>): NodeFields {
  const set: NodeFields = {};
  if (node.title !== undefined) set.title = node.title;
  if (node.tags !== undefined) set.tags = [...node.tags];
  if (node.context_start !== undefined) set.context_start = node.context_start;
  if (node.custom_data !== undefined) set.custom_data = node.custom_data;
  const exclude = (node.exclude ?? []).flatMap((block) => copies.get(block) ?? []);
  if (exclude.length > 0) set.exclude = exclude;
  return set;
}

/** The results among nodes whose calls are neither among the nodes above them nor above the new place. */
function orphansIn(state: RootState, parent: string, nodes: readonly NodeState[]): string[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return nodes.flatMap((node) => {
    const call = node.tool_call_id;
    if (call === undefined) return [];
    for (let above = byId.get(node.parent); above !== undefined; above = byId.get(above.parent)) {
      if (callsIn(above.blocks).some(({ id }) => id === call)) return [];
    }
    return findCalls(state, parent, new Set([call])).size > 0 ? [] : [node.id];
  });
}
