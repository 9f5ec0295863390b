import type { OpenConversation } from '../conversation/open-conversation.ts';
import { useStore } from '../stores/use-store.ts';

const none: readonly string[] = [];

/** The answers to a message, the first one first. */
export function useAnswers({ shape }: OpenConversation, node: string): readonly string[] {
  return useStore(shape).children.get(node) ?? none;
}
