import type { NodeState } from '../node-state.ts';
import type { RootState } from '../root-state.ts';

/** The nodes from the first level down to a node, itself included. Work grows with the depth alone. */
export function pathTo(state: RootState, id: string): NodeState[] {
  const path: NodeState[] = [];
  for (let link = state.index.linkOf(id); link !== undefined; link = link.up) path.push(link.node);
  return path.reverse();
}

/**
 * Returns true if a node can be seen in the tree: neither it nor anything above it is a tombstone, and it is not a draft. A
 * node that was seen before costs nothing.
 */
export function isVisible(state: RootState, id: string): boolean {
  const walked: string[] = [];
  for (let at = id; !state.index.isKnownVisible(at);) {
    const node = state.nodes.get(at);
    if (node === undefined || node.deleted === true || node.draft === true) return false;
    walked.push(at);
    at = node.parent;
  }
  state.index.rememberVisible(walked);
  return true;
}

/** The node, if there is one that can be seen. */
export function visibleNode(state: RootState, id: string): NodeState | undefined {
  return isVisible(state, id) ? state.nodes.get(id) : undefined;
}

/** The drafts that were not removed, in the order in which they were made. */
export function liveDrafts(state: RootState): NodeState[] {
  return [...state.index.drafts].flatMap((id) => liveDraft(state, id) ?? []);
}

/** The draft, if there is one that was not removed. */
export function liveDraft(state: RootState, id: string): NodeState | undefined {
  const node = state.nodes.get(id);
  return node?.draft === true && node.deleted !== true ? node : undefined;
}

/** The node whose texts can be read and edited: one that can be seen in the tree, or a draft. */
export function presentNode(state: RootState, id: string): NodeState | undefined {
  return visibleNode(state, id) ?? liveDraft(state, id);
}

/** The children of a node or of the root that are not tombstones, in the order of their ids. */
export function liveChildren(state: RootState, parent: string): NodeState[] {
  const live: NodeState[] = [];
  for (const id of state.children.get(parent) ?? []) {
    const node = state.nodes.get(id);
    if (node !== undefined && node.deleted !== true) live.push(node);
  }
  return live;
}

/** Returns true if a node is another one or lies below it. */
export function isAtOrBelow(state: RootState, id: string, top: string): boolean {
  if (top === state.id) return id === top || state.nodes.has(id);
  const end = state.index.linkOf(top);
  if (end === undefined) return false;
  for (let link = state.index.linkOf(id); link !== undefined; link = link.up) if (link === end) return true;
  return false;
}
