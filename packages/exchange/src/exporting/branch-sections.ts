import type { NodeState } from '@loom/kernel';
import { appendAll } from '../ai-sdk/append-all.ts';
import { exportedPath } from './source.ts';
import type { ExportRange, ExportSource } from './source.ts';

/** A stretch of a conversation that does not fork, for writers that put one after the other. */
export interface BranchSection {
  readonly nodes: readonly NodeState[];
  /** The node above its first one and the place among the branches there; missing for the first section. */
  readonly fork?: { readonly above: NodeState | undefined; readonly number: number; readonly of: number };
  /** The first nodes of the branches that continue after it. */
  readonly next: readonly NodeState[];
}

/** Yields a conversation as sections: the first one, then every branch with its own branches right after it. */
export function* branchSections(source: ExportSource, range: ExportRange): Generator<BranchSection> {
  if (range.node !== undefined) {
    yield { nodes: exportedPath(source, range.node), next: [] };
    return;
  }
  const tops = source.children(source.root.id);
  const pending = forksOf(undefined, tops).reverse();
  for (let start = pending.pop(); start !== undefined; start = pending.pop()) {
    const { first, ...fork } = start;
    const nodes = [first];
    let below = source.children(first.id);
    for (let [only] = below; only !== undefined && below.length === 1; [only] = below) {
      nodes.push(only);
      below = source.children(only.id);
    }
    yield { nodes, next: below, ...(fork.of > 1 ? { fork } : {}) };
    appendAll(pending, forksOf(nodes.at(-1), below).reverse());
  }
}

function forksOf(above: NodeState | undefined, branches: readonly NodeState[]) {
  return branches.map((first, index) => ({ first, above, number: index + 1, of: branches.length }));
}

/** Returns the name of a node within an exported file: the last part of its id, in a form that a link can hold. */
export function anchorOf(node: NodeState): string {
  return (node.id.split('/').at(-1) ?? node.id).replaceAll(/[^A-Za-z0-9_-]/g, '-');
}
