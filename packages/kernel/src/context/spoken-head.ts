import type { ToolDescription } from '../provider.ts';
import { promptOf } from '../root-settings.ts';
import type { NodeState } from '../state/node-state.ts';
import type { RootState } from '../state/root-state.ts';
import type { PrefixHead } from './prefix.ts';

/** Describes the tools with these names; all without. */
export type DescribeTools = (names?: readonly string[]) => readonly ToolDescription[];

/**
 * Returns the head of the requests of the model that spoke last on a path, with the tools described to it, else those of the
 * conversation. `undefined` if no model has spoken.
 */
export function spokenHead(
  state: RootState,
  path: readonly NodeState[],
  describeTools: DescribeTools,
): PrefixHead | undefined {
  const last = path.findLast(({ source }) => source.type === 'model');
  if (last?.source.type !== 'model') return undefined;
  const { provider, model_name: model } = last.source;
  const tools = toolsOf(state, last, describeTools);
  return { provider, model, tools, ...promptOf(state.config) };
}

/** Turns that ended long ago are no longer known; then the usual tools are the best guess. */
function toolsOf(state: RootState, { turn: id }: NodeState, describeTools: DescribeTools): readonly ToolDescription[] {
  const turn = state.turns.get(id ?? '');
  return turn?.told ?? describeTools(turn?.tools);
}
