import { isVisible, liveChildren } from '@loom/kernel';
import type { BlobPort, NodeState, RootConfig, RootState } from '@loom/kernel';

/** The read access to a conversation that writers get. They write nothing, and never hold more of it than they need for the next piece. */
export interface ExportSource {
  readonly root: ExportedRoot;
  /** Returns the node with this id, if it is visible. */
  node(id: string): NodeState | undefined;
  /** Returns the nodes below a node, or below the root for the root's own id, in order and without deleted ones. */
  children(id: string): readonly NodeState[];
  /** Returns the name of a bookmark at this node. */
  bookmark(node: string): string | undefined;
  blob(id: string): Promise<Uint8Array | undefined>;
}

/** The facts about a conversation as a whole. */
export interface ExportedRoot {
  readonly id: string;
  readonly title?: string;
  readonly tags: readonly string[];
  /** In milliseconds since 1970. */
  readonly created: number;
  readonly config: RootConfig;
}

/** The part to write: everything, or the path from the top down to one node. */
export interface ExportRange {
  readonly node?: string;
}

/** Returns a conversation of the kernel in the form that writers read. */
export function exportSource(state: RootState, blobs: Pick<BlobPort, 'get'>): ExportSource {
  const { id, title, tags, created, config } = state;
  return {
    root: { id, tags, created, config, ...(title === undefined ? {} : { title }) },
    node: (node) => (isVisible(state, node) ? state.nodes.get(node) : undefined),
    children: (node) => liveChildren(state, node),
    bookmark: (node) => state.bookmarks.get(node),
    blob: (blob) => blobs.get(blob),
  };
}

/** Returns the nodes from the top down to one. Unknown ids are refused before anything is written, so one here is a mistake of the caller. */
export function exportedPath(source: ExportSource, id: string): NodeState[] {
  const path: NodeState[] = [];
  for (let at = id; at !== source.root.id;) {
    const node = source.node(at);
    if (node === undefined) throw new RangeError(`there is no node ${at} in ${source.root.id}`);
    path.push(node);
    at = node.parent;
  }
  return path.reverse();
}

/** Yields the nodes to write, parents before children. */
export function* exportedNodes(source: ExportSource, range: ExportRange): Generator<NodeState> {
  if (range.node !== undefined) {
    yield* exportedPath(source, range.node);
    return;
  }
  // A stack, not recursion: conversations are deeper than call stacks.
  const pending = [...source.children(source.root.id)].reverse();
  for (let node = pending.pop(); node !== undefined; node = pending.pop()) {
    yield node;
    const below = source.children(node.id);
    for (let index = below.length - 1; index >= 0; index -= 1) {
      const child = below[index];
      if (child !== undefined) pending.push(child);
    }
  }
}

/** Yields the ends of all branches to write. */
export function* exportedLeaves(source: ExportSource, range: ExportRange): Generator<NodeState> {
  if (range.node !== undefined) {
    yield* exportedPath(source, range.node).slice(-1);
    return;
  }
  for (const node of exportedNodes(source, range)) if (source.children(node.id).length === 0) yield node;
}

/** Returns the time a message was written, as ISO 8601. */
export function timeOf(node: NodeState): string {
  return node.ended_at ?? node.started_at ?? new Date(node.time).toISOString();
}
