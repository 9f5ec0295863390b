import type { MessageBlock, ToolUseBlock } from '@loom/blocks';
import type { RootState } from '../state/root-state.ts';
import { isAtOrBelow, isVisible, pathTo } from '../state/tree/tree.ts';

/** Looks for calls at a node and above it, and stops where all are found: a result is never far from its call. */
export function findCalls(state: RootState, from: string, wanted: ReadonlySet<string>): Map<string, ToolUseBlock> {
  const found = new Map<string, ToolUseBlock>();
  let node = found.size < wanted.size ? state.nodes.get(from) : undefined;
  while (node !== undefined && found.size < wanted.size) {
    for (const call of callsIn(node.blocks)) if (wanted.has(call.id) && !found.has(call.id)) found.set(call.id, call);
    node = state.nodes.get(node.parent);
  }
  return found;
}

/** The calls among some blocks, in order. */
export function callsIn(blocks: readonly MessageBlock[]): ToolUseBlock[] {
  return blocks.filter((block) => block.type === 'tool-use');
}

/** The results of a call that can be seen at or below a node. */
export function resultsBelow(state: RootState, call: string, top: string): string[] {
  return [...state.index.resultsOf(call)].filter((id) => isAtOrBelow(state, id, top) && isVisible(state, id));
}

/**
 * Returns the results at or below a node whose calls are above it and would no longer be at another place. Looks at the
 * calls between the two places' common ancestor and the node, not at what is below.
 */
export function orphanedResults(state: RootState, top: string, newParent: string): string[] {
  const orphans: string[] = [];
  const stillAbove = new Set(pathTo(state, newParent));
  let node = state.nodes.get(state.nodes.get(top)?.parent ?? '');
  for (; node !== undefined && !stillAbove.has(node); node = state.nodes.get(node.parent)) {
    for (const { id } of callsIn(node.blocks)) {
      const results = resultsBelow(state, id, top);
      if (results.length > 0 && !findCalls(state, newParent, new Set([id])).has(id)) orphans.push(...results);
    }
  }
  return orphans;
}
