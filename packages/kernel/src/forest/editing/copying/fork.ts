import type { Decision } from '../../../log/log-shape.ts';
import type { NodeState } from '../../../state/node-state.ts';
import type { RootOp } from '../../../op.ts';
import { refuse } from '../../../refusal.ts';
import type { RootState } from '../../../state/root-state.ts';
import { callsIn, resultsBelow } from '../../calls.ts';
import { copiesByOriginal, copyBlocks, copyContextMarks, copySeed } from './copy.ts';
import { compareIds } from '../../../state/tree/id-order.ts';
import { refuseUnderTurn, refuseUnfinished } from '../obstacles.ts';
import { pathTo, visibleNode } from '../../../state/tree/tree.ts';

/** The block after which to fork. */
export interface ForkParams {
  block: string;
}

/** The first node of the fork, and the place for the next message: below the last result that came along. */
export interface ForkValue {
  node: string;
  tip: string;
}

/**
 * A sibling with copies of a message's blocks up to one of them, and copies of the results of its calls below. Nothing is
 * cut, so requests of both branches stay valid. After the last block there is nothing to fork from: the node itself goes on.
 */
export function decideFork(state: RootState, agent: string, { block }: ForkParams): Decision<RootOp, ForkValue> {
  const node = visibleNode(state, state.nodeOfBlock.get(block) ?? '');
  if (node === undefined) return refuse({ reason: 'block-not-found', block });
  const obstacle = refuseUnfinished(state, node) ?? refuseUnderTurn(state, node.parent);
  if (obstacle !== undefined) return obstacle;
  const included = node.blocks.slice(0, node.blocks.findIndex(({ block_id: id }) => id === block) + 1);
  const calls = callsIn(included).map(({ id }) => id);
  const results = chainOfResults(state, node, calls);
  const unfinished = results.map((result) => refuseUnfinished(state, result)).find((refusal) => refusal !== undefined);
  if (unfinished !== undefined) return unfinished;
  if (included.length === node.blocks.length) {
    return { ok: true, ops: [], value: { node: node.id, tip: results.at(-1)?.id ?? node.id } };
  }
  const ops: RootOp[] = [];
  const known = new Map<string, string>();
  const copyNode = (original: NodeState, parent: string, blocks = original.blocks): string => {
    const copies = copyBlocks(state, agent, blocks);
    for (const [from, to] of copiesByOriginal(copies)) known.set(from, to);
    const id = state.newNodeId();
    ops.push({ type: 'node-added', node: { ...copySeed(original), id, parent, blocks: copies } });
    ops.push(...copyContextMarks([original], id, known));
    return id;
  };
  const fork = copyNode(node, node.parent, included);
  let tip = fork;
  for (const result of results) tip = copyNode(result, tip);
  return { ok: true, ops, value: { node: fork, tip } };
}

/** One result of each call below a node, the oldest if there are several, from the top down. */
function chainOfResults(state: RootState, node: NodeState, calls: readonly string[]): NodeState[] {
  return calls
    .flatMap((call) => resultsBelow(state, call, node.id).sort(compareIds).slice(0, 1))
    .map((id) => pathTo(state, id))
    .sort((a, b) => a.length - b.length)
    .flatMap((path) => path.at(-1) ?? []);
}
