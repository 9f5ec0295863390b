import type { MessageBlock } from './content-block.ts';

/** A field that grows while its block is written. */
export type StreamedField = 'text' | 'arguments' | 'stdout' | 'stderr';

/** The text that the text tools edit, or `undefined` if the block has none. */
export function editableText(block: MessageBlock): string | undefined {
  switch (block.type) {
    case 'text':
    case 'thinking':
      return block.text;
    case 'code':
      return block.content;
    case 'tool-use':
    case 'image':
    case 'command':
    case 'file-change':
    case 'todo':
    case 'sources':
    case 'conversation':
    case 'error':
    case 'raw':
      return undefined;
  }
}

/** The block with another text; one without editable text is a bug of the caller. */
export function withText(block: MessageBlock, text: string): MessageBlock {
  if (block.type === 'text' || block.type === 'thinking') return { ...block, text };
  if (block.type === 'code') return { ...block, content: text };
  throw new TypeError(`a ${block.type} block has no text to edit`);
}

/** The block with a text added to the end of a growing field. */
export function withAppended(block: MessageBlock, field: StreamedField, text: string): MessageBlock {
  if (field === 'text') return withText(block, (editableText(block) ?? '') + text);
  if (field === 'arguments' && block.type === 'tool-use')
    return { ...block, arguments: (block.arguments ?? '') + text };
  if (field === 'stdout' && block.type === 'command') return { ...block, stdout: grow(block.stdout, text) };
  if (field === 'stderr' && block.type === 'command') return { ...block, stderr: grow(block.stderr, text) };
  throw new TypeError(`a ${block.type} block has no ${field} to append to`);
}

/** Returns the block with the long output received so far; `preview` takes the place of the inline text. */
export function withOutput(
  block: MessageBlock,
  { field, bytes, tail, preview }: { field: 'stdout' | 'stderr'; bytes: number; tail: string; preview?: string },
): MessageBlock {
  if (block.type !== 'command') throw new TypeError(`a ${block.type} block has no ${field}`);
  const before = block[field];
  const begins = preview ?? (typeof before === 'object' ? before.preview : '');
  return { ...block, [field]: { bytes, preview: begins, tail } };
}

function grow(output: string | object | undefined, text: string): string {
  // Only inline output grows: a blob is final.
  return (typeof output === 'string' ? output : '') + text;
}
