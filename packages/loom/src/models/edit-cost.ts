import type { MessageBlock } from '@loom/blocks';
import { costOfChange, promptOf } from '@loom/kernel';
import type { Cost, EditMode, NodeChange, NodeState, PrefixHead, RootState } from '@loom/kernel';
import type { Loom } from '../runtime/loom.ts';
import { shortName } from '../forest-view/node-line.ts';

/**
 * Words the cost of an edit for the branches that it touches, or returns `undefined` if there is none. A message with something below it is
 * not touched unless the edit is made in place: the new one stands beside it.
 */
export function priceOfEdit(
  state: RootState,
  node: NodeState,
  text: string,
  mode: EditMode | undefined,
  loom: Loom,
): string | undefined {
  const isLeaf = state.index.liveChildCount(node.id) === 0 && (mode === 'split' || node.continues !== true);
  return isLeaf || mode === 'in-place'
    ? priceOf(state, { before: node, after: withText(node, text) }, loom)
    : undefined;
}

/** Words the cost of an edit that was made in place for the branches below it; `before` is the node as it was. */
export function priceOfChange(state: RootState, before: NodeState, loom: Loom): string | undefined {
  const after = state.nodes.get(before.id);
  return after && priceOf(state, { before, after }, loom);
}

function priceOf(state: RootState, change: Omit<NodeChange, 'headOf'>, loom: Loom): string | undefined {
  const headOf = (path: readonly NodeState[]) => headOfPath(state, path);
  const { costs, unseen } = costOfChange(state, { ...change, headOf }, loom.hash);
  const [first, ...others] = costs;
  const sentences = [
    ...(first === undefined ? [] : [describe(first)]),
    ...(others.length === 0 ? [] : [`It costs ${countBranches(others.length, 'more')} as well.`]),
    ...(unseen === 0 ? [] : [`Whether it costs ${countBranches(unseen, 'older')} something was not computed.`]),
  ];
  return sentences.length === 0 ? undefined : sentences.join(' ');
}

function countBranches(count: number, which: string): string {
  return `${count.toLocaleString('en')} ${which} ${count === 1 ? 'branch' : 'branches'}`;
}

function describe({ leaf, invalid_thinking, tokens_again }: Cost): string {
  const thoughts = invalid_thinking.length;
  const parts = [
    ...(tokens_again > 0 ? [`about ${tokens_again} ${tokens_again === 1 ? 'token is' : 'tokens are'} paid again`] : []),
    ...(thoughts > 0
      ? [`${thoughts} ${thoughts === 1 ? 'thought is' : 'thoughts are'} no longer shown to the model`]
      : []),
  ];
  return `This edit costs the branch that ends with ${shortName(leaf)}: ${parts.join(', ')}.`;
}

/** Returns the head of a branch's requests: the model that spoke last on it, and the tools that were described last. */
function headOfPath(state: RootState, path: readonly NodeState[]): PrefixHead | undefined {
  const source = path.findLast((node) => node.source.type === 'model')?.source;
  if (source?.type !== 'model') return undefined;
  const { provider, model_name: model } = source;
  return { provider, model, tools: state.told ?? [], ...promptOf(state.config) };
}

/** The node with its first text replaced: as near as one can tell before the edit is made. */
function withText(node: NodeState, text: string): NodeState {
  const first = node.blocks.findIndex((block) => block.type === 'text');
  const blocks = node.blocks.flatMap((block, index): MessageBlock[] => {
    if (block.type !== 'text') return [block];
    return index === first ? [{ ...block, text }] : [];
  });
  return { ...node, blocks };
}
