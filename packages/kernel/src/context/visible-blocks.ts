import type { MessageBlock } from '@loom/blocks';
import type { NodeState } from '../state/node-state.ts';

/** A node and those of its blocks that are left. */
export interface VisibleNode {
  node: NodeState;
  blocks: readonly MessageBlock[];
}

/**
 * The part of a path that its people let models see: from the deepest `context_start` on, without what any node on it
 * excludes. A call and its result go together: without the one the other would break every request.
 */
export function visibleBlocks(path: readonly NodeState[]): VisibleNode[] {
  const start = path.findLastIndex((node) => node.context_start === true);
  const nodes = path.slice(Math.max(start, 0));
  const excluded = new Set(path.flatMap((node) => node.exclude ?? []));
  if (excluded.size === 0) return nodes.map((node) => ({ node, blocks: node.blocks }));
  const calls = excludedCalls(nodes, excluded);
  return nodes.flatMap((node) => {
    if (node.role === 'tool' && calls.has(node.tool_call_id ?? '')) return [];
    return [{ node, blocks: node.blocks.filter((block) => !isExcluded(block, excluded) && !isCallOf(block, calls)) }];
  });
}

/** The ids of calls that are excluded themselves, or whose results have nothing left to show. */
function excludedCalls(nodes: readonly NodeState[], excluded: ReadonlySet<string>): Set<string> {
  const calls = new Set<string>();
  for (const node of nodes) {
    for (const block of node.blocks) if (block.type === 'tool-use' && isExcluded(block, excluded)) calls.add(block.id);
    const emptied = node.blocks.length > 0 && node.blocks.every((block) => isExcluded(block, excluded));
    if (node.role === 'tool' && emptied) calls.add(node.tool_call_id ?? '');
  }
  return calls;
}

function isExcluded(block: MessageBlock, excluded: ReadonlySet<string>): boolean {
  return block.block_id !== undefined && excluded.has(block.block_id);
}

function isCallOf(block: MessageBlock, calls: ReadonlySet<string>): boolean {
  return block.type === 'tool-use' && calls.has(block.id);
}
