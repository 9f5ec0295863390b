import type { MessageBlock } from '@loom/blocks';

/** How many characters that a model saw or wrote a block of a known type holds. Views are for people: leave them out. */
export function typedCharacters(block: MessageBlock): number {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text.length;
    case 'tool-use':
      return (block.arguments ?? JSON.stringify(block.parameters)).length;
    case 'code':
      return block.content.length;
    case 'error':
      return block.message.length;
    default:
      return 0;
  }
}
