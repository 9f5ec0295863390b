import { useSyncExternalStore } from 'react';
import { useConversation } from '../app/loom-context.ts';
import type { Loom } from '../app/loom.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';

/** Finds out which thinking on the way to a node is no longer sent, if any. */
export async function findInvalidThinking(
  loom: Loom,
  { invalidThinking }: OpenConversation,
  node: string,
  count: number,
): Promise<void> {
  if (count === 0 && invalidThinking.getSnapshot().size === 0) return;
  const { invalid } = count === 0 ? { invalid: [] } : await loom.ask('context.get', { node });
  invalidThinking.set(new Set(invalid));
}

/** Returns true if a block is thinking that is no longer sent. */
export function useIsInvalid(block: string): boolean {
  const { invalidThinking } = useConversation();
  return useSyncExternalStore(invalidThinking.subscribe, () => invalidThinking.getSnapshot().has(block));
}
