import type { ToolUseBlock } from '@loom/blocks';
import type { RootState } from '../../state/root-state.ts';
import { pathTo } from '../../state/tree/tree.ts';
import type { EarlierCall } from '../../tool.ts';

/** Returns the calls that have a result on the branch of a turn, the newest first: those of its own rounds, and those before it. */
export function earlierCalls(state: RootState, turn: string): EarlierCall[] {
  const written = [...state.nodes.values()].findLast((node) => node.turn === turn && node.deleted !== true);
  const end = written?.id ?? state.turns.get(turn)?.node;
  if (end === undefined || !state.nodes.has(end)) return [];
  const uses = new Map<string, ToolUseBlock>();
  const calls: EarlierCall[] = [];
  for (const { tool_call_id: id, tool, blocks } of pathTo(state, end)) {
    for (const block of blocks) if (block.type === 'tool-use') uses.set(block.id, block);
    const use = id === undefined ? undefined : uses.get(id);
    if (use !== undefined && tool === 'result') calls.push({ name: use.name, parameters: use.parameters, blocks });
  }
  return calls.toReversed();
}
