import type { MessageBlock } from '@loom/blocks';
import { affectedLeaves, costOf, pathTo, pathWith } from '@loom/kernel';
import type { Cost, NodeState, PrefixHead, RootState } from '@loom/kernel';
import type { Loom } from '../runtime/open-loom.ts';
import { shortName } from './node-line.ts';

/**
 * What an edit costs the branches that it touches, in words, or `undefined` if nothing. A message with something below it is
 * not touched unless the edit is made in place: a branch grows beside it.
 */
export function priceOfEdit(
  state: RootState,
  node: NodeState,
  text: string,
  isInPlace: boolean,
  loom: Loom,
): string | undefined {
  const leaves = affectedLeaves(state, node.id);
  const isLeaf = leaves[0] === node.id;
  if (!isLeaf && !isInPlace) return undefined;
  const changed = new Map([[node.id, withText(node, text)]]);
  return priceOf(state, leaves, loom, (leaf) => ({
    before: pathTo(state, leaf),
    after: pathWith(state, leaf, changed),
  }));
}

/** What an edit in place that was made has cost the branches below it; `before` is the node as it was. */
export function priceOfChange(state: RootState, before: NodeState, loom: Loom): string | undefined {
  const former = new Map([[before.id, before]]);
  return priceOf(state, affectedLeaves(state, before.id), loom, (leaf) => ({
    before: pathWith(state, leaf, former),
    after: pathTo(state, leaf),
  }));
}

function priceOf(
  state: RootState,
  leaves: readonly string[],
  loom: Loom,
  pathsOf: (leaf: string) => { before: readonly NodeState[]; after: readonly NodeState[] },
): string | undefined {
  const costs = leaves.flatMap((leaf) => {
    const head = headOf(state, leaf, loom);
    if (head === undefined) return [];
    const { before, after } = pathsOf(leaf);
    return [costOf(leaf, { path: before, head }, { path: after, head }, loom.hash)];
  });
  const affected = costs.filter((cost) => cost.tokens_again > 0 || cost.invalid_thinking.length > 0);
  const [first, ...others] = affected;
  return first === undefined
    ? undefined
    : `${describe(first)}${others.length === 0 ? '' : `, and ${others.length} more`}.`;
}

function describe({ leaf, invalid_thinking, tokens_again }: Cost): string {
  const thoughts = invalid_thinking.length;
  const parts = [
    ...(tokens_again > 0 ? [`about ${tokens_again} tokens are paid again`] : []),
    ...(thoughts > 0
      ? [`${thoughts} ${thoughts === 1 ? 'thought is' : 'thoughts are'} no longer shown to the model`]
      : []),
  ];
  return `This edit costs the branch that ends with ${shortName(leaf)}: ${parts.join(', ')}`;
}

/** What requests of a branch began with: those of the model that spoke last on it. */
function headOf(state: RootState, leaf: string, { tools }: Loom): PrefixHead | undefined {
  const source = pathTo(state, leaf).findLast((node) => node.source.type === 'model')?.source;
  if (source?.type !== 'model') return undefined;
  const { systemPrompt } = state.config;
  const head = { provider: source.provider, model: source.model_name, tools };
  return systemPrompt === undefined ? head : { ...head, systemPrompt };
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
