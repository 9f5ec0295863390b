import { renderMessageAsMarkdown } from '@loom/blocks';
import type { Message, PlainObject, UserBlock } from '@loom/blocks';
import type { BlobPort } from '@loom/kernel';
import { describeFile, fileBlock } from '../anthropic/native-files.ts';
import { loadFiles } from '../api/request/files.ts';

/** Returns the blocks of what people said since the model spoke last. */
export function newWords(messages: readonly Message[]): UserBlock[] {
  const last = messages.findLastIndex(({ role }) => role !== 'user');
  return messages.slice(last + 1).flatMap((message) => (message.role === 'user' ? message.content : []));
}

/** Writes blocks of a person as the content of a message to Claude Code. */
export async function contentOf(blocks: readonly UserBlock[], blobs: BlobPort): Promise<PlainObject[]> {
  const [first, ...others] = blocks;
  const files =
    first === undefined ? new Map() : await loadFiles([{ role: 'user', content: [first, ...others] }], blobs);
  const content = blocks.flatMap((block): PlainObject[] => {
    if (block.type === 'text') return block.text === '' ? [] : [{ type: 'text', text: block.text }];
    if (block.type !== 'image') return [];
    return [fileBlock(block, files) ?? { type: 'text', text: `[${describeFile(block)} cannot be shown here.]` }];
  });
  if (content.length > 0) return content;
  // The program takes no empty message. Without words of a person it is to go on, as after a stop or a spending limit.
  return [{ type: 'text', text: blocks.length === 0 ? 'Go on from where you stopped.' : '(no words)' }];
}

/** Writes a branch that has no session as text, for a model that has not heard it. */
export function branchAsText(messages: readonly Message[]): string {
  const last = messages.findLastIndex(({ role }) => role !== 'user');
  const before = messages
    .slice(0, last + 1)
    .map((message) => `## ${message.role}\n\n${renderMessageAsMarkdown(message)}`);
  return `This conversation was begun elsewhere. It is given here as text; go on from its end.\n\n${before.join('\n\n')}\n\n# Now\n`;
}
