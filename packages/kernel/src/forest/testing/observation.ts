import { coalesceTextOnlyAdjacent, contentFields } from '@loom/blocks';
import type { MessageBlock, MessageInSequence } from '@loom/blocks';
import { messageOf } from '../../state/node-state.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { RootState } from '../../state/root-state.ts';
import { compareIds } from '../../state/tree/id-order.ts';
import { subtree } from '../../state/tree/queries.ts';
import { pathTo } from '../../state/tree/tree.ts';

/** Returns the visible path to a node: the messages with their content, halves of a text joined, hidden blocks left out. */
export function contextOf(state: RootState, id: string): unknown[] {
  return contextOfPath(pathTo(state, id));
}

export function contextOfPath(path: readonly NodeState[]): unknown[] {
  const hidden = new Set(path.flatMap((node) => node.exclude ?? []));
  const isShown = ({ block_id: id }: MessageBlock): boolean => id === undefined || !hidden.has(id);
  const start = Math.max(
    path.findLastIndex((node) => node.context_start === true),
    0,
  );
  const sequence = path.slice(start).flatMap((node, index): MessageInSequence[] => {
    const message = messageOf(node, node.blocks.filter(isShown));
    if (message === undefined) return [];
    // A seam exists only where both sides of it are shown.
    const sides = [path[start + index - 1]?.blocks.at(-1), node.blocks[0]];
    const continues = node.continues === true && sides.every((block) => block !== undefined && isShown(block));
    return [{ message, continues }];
  });
  return coalesceTextOnlyAdjacent(sequence).map(({ message }) => ({
    ...message,
    content: message.content.map(contentFields),
  }));
}

/** The contexts of all leaves that can be seen. */
export function leafContexts(state: RootState): Map<string, unknown[]> {
  const leaves = subtree(state, state.id).filter(({ id }) => state.index.liveChildCount(id) === 0);
  return new Map(leaves.map(({ id }) => [id, contextOf(state, id)]));
}

/** Returns everything that can be seen of a root, without versions, which only ever grow. */
export function visibleState(state: RootState): unknown {
  const nodes = subtree(state, state.id);
  const seen = new Set(nodes.map(({ id }) => id));
  return {
    title: state.title,
    tags: state.tags,
    deleted: state.deleted,
    bookmarks: [...state.bookmarks].filter(([id]) => seen.has(id)).sort(([a], [b]) => compareIds(a, b)),
    nodes: nodes.map(withoutVersions),
  };
}

/** Returns everything that a root was reduced to. */
export function wholeState(state: RootState): unknown {
  const { id, seq, created, updated, config, title, tags, deleted } = state;
  const { nodes, children, nodeOfBlock, bookmarks, turns, liveTurns, approvals, startedTools, waiting } = state;
  const maps = [nodes, children, nodeOfBlock, bookmarks, turns, liveTurns, approvals, startedTools, waiting];
  const { retired } = state;
  const leaves = [...state.index.leaves.newestFirst()];
  return { id, seq, created, updated, config, title, tags, deleted, maps, retired, leaves };
}

function withoutVersions({ touched: _touched, blocks, ...node }: NodeState): unknown {
  return { ...node, blocks: blocks.map(({ version: _version, from, ...block }) => ({ ...block, from: from?.block })) };
}
