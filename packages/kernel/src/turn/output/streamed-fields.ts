import type { MessageBlock, StreamedField } from '@loom/blocks';

/** The fields of a block that may grow while it is written. */
export function streamedFields({ type }: MessageBlock): StreamedField[] {
  switch (type) {
    case 'text':
    case 'thinking':
    case 'code':
      return ['text'];
    case 'tool-use':
      return ['arguments'];
    case 'command':
      return ['stdout', 'stderr'];
    default:
      return [];
  }
}

/** Returns true if a block that ends is still the one that began. */
export function isSameBlock(begun: MessageBlock, ended: MessageBlock): boolean {
  if (begun.type !== 'tool-use' || ended.type !== 'tool-use') return begun.type === ended.type;
  return begun.id === ended.id && begun.name === ended.name;
}
