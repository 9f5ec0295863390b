import type { NodeState } from '../../state/node-state.ts';
import { isRunByProvider } from '../turn-decisions.ts';

/**
 * Returns true if the last word of a turn's messages is the model's: nothing is left to react to. A model that runs its tools has seen their
 * results, and the notices of its program.
 */
export function isAnswered(nodes: readonly NodeState[]): boolean {
  const last = nodes.findLast(({ notice }) => notice === undefined);
  if (last?.role !== 'tool') return last?.role === 'assistant';
  const calls = nodes.flatMap(({ blocks }) => blocks.filter((block) => block.type === 'tool-use'));
  return isRunByProvider(calls.findLast(({ id }) => id === last.tool_call_id));
}

/** Returns the number of calls of the model: each call says at its end, once, why it ended. */
export function callsOf(nodes: Iterable<NodeState>): number {
  const sources = [...nodes].map(({ source }) => source);
  return sources.filter((source) => source.type === 'model' && source.finish_reason !== undefined).length;
}
