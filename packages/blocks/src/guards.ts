import { assistantBlock, contentBlock, toolBlock, userBlock } from './content-block.ts';
import type { AssistantBlock, ContentBlock, TextBlock, ToolBlock, ToolUseBlock, UserBlock } from './content-block.ts';
import { parseAs } from './values/format-error.ts';
import { assistantMessage, message, toolMessage, userMessage } from './message.ts';
import type { AssistantMessage, Message, ToolMessage, UserMessage } from './message.ts';
import type { NonEmptyArray } from './values/non-empty-array.ts';

/** Reads a message as Loom writes it, or throws a `FormatError`. Other spellings: `acceptMessage`. */
export function parseMessage(value: unknown): Message {
  return parseAs(message, 'message', value);
}

/** Reads a block as Loom writes it, or throws a `FormatError`. Other spellings: `acceptBlock`. */
export function parseBlock(value: unknown): ContentBlock {
  return parseAs(contentBlock, 'block', value);
}

export function isMessage(value: unknown): value is Message {
  return message.safeParse(value).success;
}

export function isUserMessage(value: unknown): value is UserMessage {
  return userMessage.safeParse(value).success;
}

export function isAssistantMessage(value: unknown): value is AssistantMessage {
  return assistantMessage.safeParse(value).success;
}

export function isToolMessage(value: unknown): value is ToolMessage {
  return toolMessage.safeParse(value).success;
}

export function isContentBlock(value: unknown): value is ContentBlock {
  return contentBlock.safeParse(value).success;
}

export function isUserBlock(value: unknown): value is UserBlock {
  return userBlock.safeParse(value).success;
}

export function isAssistantBlock(value: unknown): value is AssistantBlock {
  return assistantBlock.safeParse(value).success;
}

export function isToolBlock(value: unknown): value is ToolBlock {
  return toolBlock.safeParse(value).success;
}

/** A user or assistant message of `text` blocks alone: the only kind that is ever coalesced or split. */
export type TextOnlyMessage = { role: 'user' | 'assistant'; content: NonEmptyArray<TextBlock> };

export function isTextOnly(candidate: Message): candidate is Message & TextOnlyMessage {
  return candidate.role !== 'tool' && candidate.content.every((block) => block.type === 'text');
}

/** The calls of a message, in order. */
export function toolUsesOf(candidate: Message): ToolUseBlock[] {
  return candidate.role === 'assistant' ? candidate.content.filter((block) => block.type === 'tool-use') : [];
}
