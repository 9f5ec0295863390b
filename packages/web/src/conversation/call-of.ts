import type { ToolUseBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import type { Shape } from './branches.ts';

/** The farthest distance from a result up to its call: calls side by side have as many results below each other. */
const farthest = 64;

/** The call that a message is the result of, if it is one and the call is loaded. */
export function callOf(nodes: ReadonlyMap<string, NodeState>, result: NodeState): ToolUseBlock | undefined {
  if (result.role !== 'tool' || result.tool_call_id === undefined) return undefined;
  let above = nodes.get(result.parent);
  for (let steps = 0; above !== undefined && steps < farthest; steps += 1) {
    const call = above.blocks.find((block) => block.type === 'tool-use' && block.id === result.tool_call_id);
    if (call?.type === 'tool-use') return call;
    if (above.role === 'user') return undefined;
    above = nodes.get(above.parent);
  }
  return undefined;
}

/** The message with the result of a call, if it is loaded: the next one below that names it, before a person speaks again. */
export function resultOf(
  { children }: Shape,
  nodes: ReadonlyMap<string, NodeState>,
  caller: string,
  call: string,
): string | undefined {
  const open = [...(children.get(caller) ?? [])];
  for (let steps = 0, id = open.shift(); id !== undefined && steps < farthest; steps += 1, id = open.shift()) {
    const node = nodes.get(id);
    if (node?.tool_call_id === call) return id;
    if (node?.role !== 'user') open.push(...(children.get(id) ?? []));
  }
  return undefined;
}
