import type { MessageBlock } from '@loom/blocks';

/** Returns the number of characters that a model saw or wrote in a block of a known type. Views are for people: leave them out. */
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
