import { contentFields, stableDeepEqual } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { pathTo } from '../../state/tree/tree.ts';

/** A block and the node that it is in. */
export interface PlacedBlock {
  node: string;
  block: MessageBlock;
}

/** The difference in one block between two branches. */
export type BlockDifference =
  | { type: 'same' | 'changed'; left: PlacedBlock; right: PlacedBlock }
  | { type: 'only-left'; left: PlacedBlock }
  | { type: 'only-right'; right: PlacedBlock };

/** Two branches, from where they part. */
export interface BranchDiff {
  /** The last node that both have, or the root. */
  ancestor: string;
  left: string[];
  right: string[];
  blocks: BlockDifference[];
}

/** Compares the paths to two nodes block by block. */
export function diffBranches(state: RootState, left: string, right: string): BranchDiff {
  const [a, b] = [pathTo(state, left), pathTo(state, right)];
  let shared = 0;
  while (shared < a.length && a[shared]?.id === b[shared]?.id) shared += 1;
  const [onlyLeft, onlyRight] = [a.slice(shared), b.slice(shared)];
  return {
    ancestor: a[shared - 1]?.id ?? state.id,
    left: onlyLeft.map(({ id }) => id),
    right: onlyRight.map(({ id }) => id),
    blocks: diffBlocks(onlyLeft, onlyRight),
  };
}

function diffBlocks(left: readonly NodeState[], right: readonly NodeState[]): BlockDifference[] {
  const [a, b] = [left.flatMap(placeBlocks), right.flatMap(placeBlocks)];
  const differences: BlockDifference[] = [];
  let [nextLeft, nextRight] = [0, 0];
  const close = (leftEnd: number, rightEnd: number): void => {
    differences.push(...diffGap(a.slice(nextLeft, leftEnd), b.slice(nextRight, rightEnd)));
  };
  for (const [i, j] of commonOrder(a, b)) {
    close(i, j);
    const [one, other] = [a[i], b[j]];
    if (one !== undefined && other !== undefined) {
      differences.push({ type: 'same', left: one.placed, right: other.placed });
    }
    [nextLeft, nextRight] = [i + 1, j + 1];
  }
  close(a.length, b.length);
  return differences;
}

interface Candidate {
  role: NodeState['role'];
  placed: PlacedBlock;
}

function placeBlocks(node: NodeState): Candidate[] {
  return node.blocks.map((block) => ({ role: node.role, placed: { node: node.id, block } }));
}

/** Compares the blocks between two equal ones: blocks of the same kind are taken for changed, in order. */
function diffGap(left: readonly Candidate[], right: readonly Candidate[]): BlockDifference[] {
  const differences: BlockDifference[] = [];
  const rest = [...right];
  for (const one of left) {
    const partner = rest.findIndex(
      (other) => other.role === one.role && other.placed.block.type === one.placed.block.type,
    );
    if (partner === -1) {
      differences.push({ type: 'only-left', left: one.placed });
      continue;
    }
    for (const [index, other] of rest.splice(0, partner + 1).entries()) {
      if (index < partner) differences.push({ type: 'only-right', right: other.placed });
      else differences.push({ type: 'changed', left: one.placed, right: other.placed });
    }
  }
  return [...differences, ...rest.map(({ placed }): BlockDifference => ({ type: 'only-right', right: placed }))];
}

/**
 * Pairs of equal blocks that keep their order on both sides, as many as there can be when the n-th of some equal blocks is
 * paired with the n-th on the other side. The longest increasing run of partners, found in n log n steps.
 */
function commonOrder(left: readonly Candidate[], right: readonly Candidate[]): [number, number][] {
  const places = Map.groupBy(right.keys(), (index) => keyOf(right[index]));
  const pairs: [number, number][] = [];
  for (const [i, one] of left.entries()) {
    const j = places.get(keyOf(one))?.shift();
    if (j !== undefined && saysTheSame(one, right[j])) pairs.push([i, j]);
  }
  return longestIncreasing(pairs);
}

function longestIncreasing(pairs: readonly [number, number][]): [number, number][] {
  /** `tails[n]`: the pair with the lowest partner that ends a run of n + 1. */
  const tails: number[] = [];
  const previous: (number | undefined)[] = [];
  for (const [index, [, partner]] of pairs.entries()) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((pairs[tails[middle] ?? 0]?.[1] ?? 0) < partner) low = middle + 1;
      else high = middle;
    }
    previous[index] = tails[low - 1];
    tails[low] = index;
  }
  const run: [number, number][] = [];
  for (let index = tails.at(-1); index !== undefined; index = previous[index]) {
    const pair = pairs[index];
    if (pair !== undefined) run.push(pair);
  }
  return run.reverse();
}

/** Equal for blocks that are equal; not the other way round. */
function keyOf(candidate: Candidate | undefined): string {
  if (candidate === undefined) return '';
  const { block } = candidate.placed;
  return `${candidate.role} ${block.type} ${'text' in block ? block.text : ''}`;
}

function saysTheSame(one: Candidate, other: Candidate | undefined): boolean {
  if (other === undefined || one.role !== other.role) return false;
  return stableDeepEqual(contentFields(one.placed.block), contentFields(other.placed.block));
}
