import { editableText } from '@loom/blocks';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { nameOfText } from '../drafts/drafts.ts';

/** Names a text as a card does: a draft by its title, else by its first words; everything else is a message. */
export function nameOfBlock(conversation: OpenConversation | undefined, block: string): string {
  const node = conversation?.replica.nodeOf(block);
  if (node === undefined || conversation?.replica.drafts.has(node.id) !== true) return 'a message';
  const [first] = node.blocks;
  return `“${node.title ?? nameOfText((first && editableText(first)) ?? '')}”`;
}
