import type { PrefixHead } from '../../context/prefix.ts';
import type { SourceInfo } from '../../node-metadata.ts';
import type { RootConfig } from '../../op.ts';
import type { ProviderRequest, ToolDescription, TrailEntry } from '../../provider.ts';
import { promptOf, surroundingsOf } from '../../root-settings.ts';
import type { NodeState } from '../../state/node-state.ts';
import type { TurnState } from '../../state/root-state.ts';

/** Returns the head that the model of a turn is shown before all messages. */
export function headFor(config: RootConfig, { provider, model }: TurnState, tools: ToolDescription[]): PrefixHead {
  return { provider, model, tools, ...promptOf(config) };
}

/** The parts of a request that differ from call to call. */
type AskedOfCall = Pick<ProviderRequest, 'node' | 'messages' | 'maxTokens' | 'settings' | 'invalid'>;

/** Returns all inputs of a call of the model. */
export function requestFor(
  { root, config }: { root: string; config: RootConfig },
  { provider: _provider, ...head }: PrefixHead,
  path: readonly NodeState[],
  asked: AskedOfCall,
): ProviderRequest {
  return { root, ...surroundingsOf(config), ...head, ...asked, trail: path.map(trailOf) };
}

/** Returns a node of a path as providers see it. */
export function trailOf({ id: node, role, note, origin }: NodeState): TrailEntry {
  return { node, role, ...(note === undefined ? {} : { note }), ...(origin === undefined ? {} : { origin }) };
}

/** The source of what a turn's model says. */
export function sourceOf({ provider, model, settings }: TurnState): SourceInfo {
  return { type: 'model', provider, model_name: model, parameters: settings };
}

/** Describes tools to a model: sorted, so that the same tools give the same bytes. */
export function describeTools(tools: readonly ToolDescription[]): ToolDescription[] {
  return tools
    .map(({ name, description, parameters }) => ({ name, description, parameters }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
