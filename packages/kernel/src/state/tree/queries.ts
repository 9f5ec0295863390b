import type { NodeState } from '../node-state.ts';
import type { RootState } from '../root-state.ts';
import { isVisible, liveChildren } from './tree.ts';

/** The nodes beside a node, itself included, in the order of their ids. */
export function siblingsOf(state: RootState, id: string): NodeState[] {
  const node = state.nodes.get(id);
  return node === undefined ? [] : liveChildren(state, node.parent);
}

/** The ends of the branches where something happened last, the most recent first. */
export function recentLeaves(state: RootState, limit: number): NodeState[] {
  const found: NodeState[] = [];
  for (const id of state.index.leaves.newestFirst()) {
    if (found.length >= limit) break;
    const node = isVisible(state, id) ? state.nodes.get(id) : undefined;
    if (node !== undefined) found.push(node);
  }
  return found;
}

/**
 * Returns a node with the visible nodes below it, parents before children, to a depth (0: the node alone). The root has no
 * node.
 */
export function subtree(state: RootState, top: string, depth = Number.POSITIVE_INFINITY): NodeState[] {
  if (!isVisible(state, top)) return [];
  const found: NodeState[] = [];
  // A stack, not recursion: conversations are deeper than call stacks.
  const pending = [{ id: top, left: depth }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { id, left } = next;
    const node = state.nodes.get(id);
    if (node !== undefined) found.push(node);
    if (left === 0) continue;
    for (const child of liveChildren(state, id).reverse()) pending.push({ id: child.id, left: left - 1 });
  }
  return found;
}

/** A node without its content. */
export interface TopologyNode {
  id: string;
  parent: string;
  role: NodeState['role'];
}

/** The shape of a tree or subtree. */
export function topology(state: RootState, top = state.id, depth?: number): TopologyNode[] {
  return subtree(state, top, depth).map(({ id, parent, role }) => ({ id, parent, role }));
}
