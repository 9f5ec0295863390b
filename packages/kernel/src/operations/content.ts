import { z } from 'zod';
import { assistantMessage, textBlock, toolMessage, userBlock, userMessage } from '@loom/blocks';
import type { Message, TextBlock } from '@loom/blocks';

/** Content is a text or a list of blocks, wherever it is taken; this is the one place that reads it. */

const text = z.string().describe('A text, for one text block.');

/** The content of a person's message. */
export const userContent = z.union([text, z.array(userBlock).min(1)]).describe('A text, or blocks of text and images.');

/** The new content of a message. */
export const textContent = z.union([text, z.array(textBlock)]).describe('The new text, or blocks of text.');

/** A message that is to be kept. */
export const saidMessage = z.discriminatedUnion('role', [
  userMessage.extend({ content: z.union([text, userMessage.shape.content]) }),
  assistantMessage.extend({ content: z.union([text, assistantMessage.shape.content]) }),
  toolMessage.extend({ content: z.union([text, toolMessage.shape.content]) }),
]);

/** Content as blocks. */
export function readContent<Blocks extends readonly unknown[]>(content: string | Blocks): Blocks | [TextBlock] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

export function readMessage(said: z.infer<typeof saidMessage>): Message {
  switch (said.role) {
    case 'user':
      return { ...said, content: readContent(said.content) };
    case 'assistant':
      return { ...said, content: readContent(said.content) };
    case 'tool':
      return { ...said, content: readContent(said.content) };
  }
}
