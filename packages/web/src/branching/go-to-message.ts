import type { Loom } from '../app/loom.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';

/** Shows the branch of a message, makes it current and brings it into sight. */
export function goToMessage(loom: Loom, conversation: OpenConversation, node: string): void {
  const block = conversation.firstBlockOf(node);
  loom.go({ name: 'conversation', root: conversation.root, node, ...(block === undefined ? {} : { block }) });
}
