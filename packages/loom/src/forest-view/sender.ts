import { readRootSettings } from '@loom/kernel';
import type { RootConfig } from '@loom/kernel';

/** The node of the call that has sent out the agent of a conversation: it belongs to another conversation. */
export function senderOf(config: RootConfig): string | undefined {
  const { origin } = readRootSettings(config);
  return origin?.source === 'loom' ? origin.id : undefined;
}
