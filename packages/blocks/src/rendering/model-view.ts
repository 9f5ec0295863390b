import type { ImageBlock, MessageBlock, TextBlock, ThinkingBlock, ToolUseBlock } from '../content-block.ts';
import type { Message } from '../message.ts';
import { renderBlockAsText } from './text-rendering.ts';

/** The only blocks that ever travel to a model. */
export type ModelBlock = TextBlock | ThinkingBlock | ToolUseBlock | ImageBlock;

/**
 * The blocks of a message that a model is shown, in order. Structured views (`code`, `command`, `file-change`, `todo`)
 * stand beside the exact text that the model saw, so they are turned into text only where there is no `text` block.
 * Sources, sub-conversations, errors, raw parts and ephemeral blocks are for people.
 */
export function blocksShownToModel(message: Message): ModelBlock[] {
  const hasText = message.content.some((block) => block.type === 'text' && block.ephemeral !== true);
  const shown: ModelBlock[] = [];
  for (const block of message.content) {
    const visible = showBlock(block, hasText);
    if (visible) shown.push(visible);
  }
  return shown;
}

function showBlock(block: MessageBlock, hasText: boolean): ModelBlock | undefined {
  if (block.ephemeral === true) return undefined;
  switch (block.type) {
    case 'text':
    case 'image':
      return block;
    case 'thinking':
    case 'tool-use':
      // Text that was cut off is still worth sending; a half-written call or thought is refused by every provider.
      return block.status === undefined || block.status === 'done' ? block : undefined;
    case 'code':
    case 'command':
    case 'file-change':
    case 'todo': {
      if (hasText) return undefined;
      const text = renderBlockAsText(block);
      return text === '' ? undefined : { type: 'text', text };
    }
    case 'sources':
    case 'conversation':
    case 'error':
    case 'raw':
      return undefined;
  }
}
