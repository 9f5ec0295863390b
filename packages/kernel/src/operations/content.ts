import { z } from 'zod';
import { assistantMessage, toolMessage, userBlock, userMessage } from '@loom/blocks';
import type { Message, TextBlock, UserBlock } from '@loom/blocks';

/** Content is a text or a list of blocks, wherever it is taken; this is the one place that reads it. */

const text = z.string().describe('A text, for one text block.');

/** What a person says. */
export const userContent = z.union([text, z.array(userBlock).min(1)]).describe('A text, or blocks of text and images.');

/** A message that is to be kept. */
export const saidMessage = z.discriminatedUnion('role', [
  userMessage.extend({ content: z.union([text, userMessage.shape.content]) }),
  assistantMessage.extend({ content: z.union([text, assistantMessage.shape.content]) }),
  toolMessage.extend({ content: z.union([text, toolMessage.shape.content]) }),
]);

export function readContent(content: z.infer<typeof userContent>): UserBlock[] {
  return typeof content === 'string' ? [textOf(content)] : content;
}

export function readMessage(said: z.infer<typeof saidMessage>): Message {
  switch (said.role) {
    case 'user':
      return { ...said, content: typeof said.content === 'string' ? [textOf(said.content)] : said.content };
    case 'assistant':
      return { ...said, content: typeof said.content === 'string' ? [textOf(said.content)] : said.content };
    case 'tool':
      return { ...said, content: typeof said.content === 'string' ? [textOf(said.content)] : said.content };
  }
}

function textOf(said: string): TextBlock {
  return { type: 'text', text: said };
}
