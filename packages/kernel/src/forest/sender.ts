import { isPlainObject } from '@loom/blocks';
import type { RootConfig } from '../op.ts';

/**
 * The node in another conversation from which the agent of this one was sent out: importers note it as `sender`, turns as the `origin`. An
 * origin of an export of Loom names a conversation, not a node.
 */
export function senderOf(config: RootConfig): string | undefined {
  const { sender, origin: from } = config;
  if (typeof sender === 'string' && sender !== '') return sender;
  if (!isPlainObject(from) || from['source'] !== 'loom' || typeof from['id'] !== 'string') return undefined;
  return from['id'].includes('/') ? from['id'] : undefined;
}
