import type { MessageBlock } from '@loom/blocks';

/** The text that is edited along, or `undefined` if the block has none. */
export function editableText(block: MessageBlock): string | undefined {
  if (block.type === 'code') return block.content;
  return block.type === 'text' || block.type === 'thinking' ? block.text : undefined;
}

export function withText(block: MessageBlock, text: string): MessageBlock {
  if (block.type === 'code') return { ...block, content: text };
  return block.type === 'text' || block.type === 'thinking' ? { ...block, text } : block;
}

/** The block with more at the end of a field that grows. */
export function withAppended(block: MessageBlock, field: string, added: string): MessageBlock {
  switch (block.type) {
    case 'tool-use':
      return field === 'arguments' ? { ...block, arguments: (block.arguments ?? '') + added } : block;
    case 'command': {
      if (field !== 'stdout' && field !== 'stderr') return block;
      const before = block[field];
      return { ...block, [field]: (typeof before === 'string' ? before : '') + added };
    }
    default:
      return withText(block, (editableText(block) ?? '') + added);
  }
}
