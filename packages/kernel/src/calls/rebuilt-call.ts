import { buildContext } from '../context/context.ts';
import type { PrefixHead } from '../context/prefix.ts';
import { promptOf } from '../root-settings.ts';
import { pathTo } from '../state/tree/tree.ts';
import type { Hash } from '../ports.ts';
import type { ToolDescription } from '../provider.ts';
import type { SourceInfo } from '../node-metadata.ts';
import { messageOf } from '../state/node-state.ts';
import type { NodeState } from '../state/node-state.ts';
import type { RootState } from '../state/root-state.ts';
import type { Exchange } from './call-recorder.ts';

export type ModelSource = Extract<SourceInfo, { type: 'model' }>;

/** Returns the model that wrote a node, if one did. */
export function modelOf({ source }: NodeState): ModelSource | undefined {
  return source.type === 'model' ? source : undefined;
}

/** The last node above another one that an earlier call of a model wrote. */
export function previousCall(state: RootState, node: NodeState): NodeState | undefined {
  const above = pathTo(state, node.parent);
  return above.findLast((candidate) => modelOf(candidate) !== undefined && !isOfOneCall(candidate, node));
}

/**
 * Returns true if two nodes were written in one call: a provider that runs its tools itself says several messages in each.
 */
function isOfOneCall(one: NodeState, other: NodeState): boolean {
  return one.turn !== undefined && one.turn === other.turn && one.started_at === other.started_at;
}

/**
 * Rebuilds the request and the answer of a call from the path, in Loom's words, not those of the wire. Text edited since,
 * and tools described otherwise by now, appear as they are now.
 */
export function rebuildCall(
  state: RootState,
  node: NodeState,
  source: ModelSource,
  describeTools: (names: readonly string[]) => readonly ToolDescription[],
  hash: Hash,
): Exchange {
  const path = pathTo(state, node.parent).filter((above) => !isOfOneCall(above, node));
  const { provider, model_name: model, parameters: settings } = source;
  const tools = describeTools(state.turns.get(node.turn ?? '')?.tools ?? []);
  const prompt = promptOf(state.config);
  const head: PrefixHead = { provider, model, tools, ...prompt };
  const { messages } = buildContext(path, head, hash);
  const request = { model, ...prompt, messages, tools, settings };
  const response = messageOf(node, node.blocks) ?? null;
  return { request: JSON.stringify(request), response: JSON.stringify(response), cut: false };
}
