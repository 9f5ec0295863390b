import { blocksShownToModel, isBlank } from '@loom/blocks';
import { refuse } from '../refusal.ts';
import type { Refused } from '../refusal.ts';
import { messageOf } from '../state/node-state.ts';
import type { NodeState } from '../state/node-state.ts';
import type { Registry } from './registry.ts';

/** Returns true if a model's reply to a node goes on with the node's words: the node is an answer that ends with words. */
export function isToBeContinued(node: NodeState | undefined): boolean {
  if (node?.role !== 'assistant') return false;
  const message = messageOf(node, node.blocks);
  const last = message && blocksShownToModel(message).at(-1);
  return last?.type === 'text' && !isBlank(last.text);
}

/** Refuses to go on with a node if one of the models cannot. */
export function refuseContinuation(
  registry: Registry,
  node: NodeState | undefined,
  speakers: readonly { provider: string; model: string }[],
): Refused | undefined {
  if (node === undefined || !isToBeContinued(node)) return undefined;
  const unable = speakers.find(({ provider, model }) => !takesPrefix(registry, provider, model));
  if (unable === undefined) return undefined;
  const { provider, model } = unable;
  return refuse({ reason: 'takes-no-prefix', node: node.id, provider, model });
}

function takesPrefix(registry: Registry, provider: string, model: string): boolean {
  try {
    return registry.provider(provider)?.takesPrefix?.(model) === true;
  } catch {
    // A provider that cannot tell is not asked to.
    return false;
  }
}
