import type { NodeSeed } from '@loom/kernel/logs';
import type { LegacyNode } from '../reading/node-links.ts';

/** Returns the seed of a file's node, at its place in a log. */
export function seedOf(
  { message, source, continues }: LegacyNode,
  place: Pick<NodeSeed, 'id' | 'parent' | 'blocks'>,
): NodeSeed {
  return {
    ...place,
    role: message.role,
    source,
    ...(message.role === 'tool' ? { tool_call_id: message.tool_call_id } : {}),
    ...(message.role === 'tool' && message.is_error === true ? { is_error: true } : {}),
    ...(continues ? { continues } : {}),
  };
}
