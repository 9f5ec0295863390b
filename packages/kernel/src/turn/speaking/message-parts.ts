import type { PlainObject, ToolUseBlock } from '@loom/blocks';
import type { Usage } from '../../node-metadata.ts';
import type { NodeSeed } from '../../op.ts';
import type { ProviderEvent } from '../../provider.ts';
import type { RootState, TurnState } from '../../state/root-state.ts';

/** An event that adds a block to a message, or begins one. */
export type BlockStart = Extract<ProviderEvent, { type: 'block-start' | 'block' }>;

/** Joins notes: a later one takes the place of an earlier one, except that everything a model was not shown is kept. */
export function joinNotes(
  { left_out: before, ...noted }: PlainObject = {},
  { left_out: after, ...data }: PlainObject,
): PlainObject {
  const lists = [before, after].filter((list) => list !== undefined);
  return { ...noted, ...data, ...(lists.length === 0 ? {} : { left_out: lists.flat() }) };
}

/** Returns the end state of a result of a tool that the provider ran itself. */
export function resultFields(event: BlockStart): Pick<NodeSeed, 'is_error' | 'tool'> {
  return isErrorResult(event) ? { is_error: true, tool: 'error' } : { tool: 'result' };
}

/** Returns true for the whole result of a call that failed. */
export function isErrorResult(event: BlockStart): boolean {
  return event.type === 'block' && event.role === 'tool' && event.is_error === true;
}

/** Returns the call of that id above a place. */
export function findCall(state: RootState, place: string, id: string): ToolUseBlock | undefined {
  for (let node = state.nodes.get(place); node !== undefined; node = state.nodes.get(node.parent)) {
    const call = node.blocks.find((block) => block.type === 'tool-use' && block.id === id);
    if (call?.type === 'tool-use') return call;
  }
  return undefined;
}

/** The node that was named when the turn started, as long as it is not there. */
export function firstNode(state: RootState, { answer }: TurnState): string | undefined {
  return answer === undefined || state.nodes.has(answer) ? undefined : answer;
}

/** Returns the cost of a call with the part of its input that was in a cache in vain: at most what was paid in full. */
export function withRepeated(usage: Usage, lost: number): Usage {
  const { input_tokens: input, cached_input_tokens: cached = 0 } = usage;
  const repeated = Math.min(lost, input - cached);
  return repeated <= 0 ? usage : { ...usage, repeated_input_tokens: repeated };
}
