import type { MessageBlock, TextBlock, ThinkingBlock, ToolUseBlock } from '../content-block.ts';
import { stableDeepEqual } from '../values/equality.ts';
import type { Message } from '../message.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';
import { readToolCall } from './openai-calls.ts';
import { arrayKey, foldExtra, openAIData, withoutOpenAIData } from './openai-data.ts';
import { readItem, readSystemText } from './openai-items.ts';
import { contentAndProvider, readPart } from './openai-parts.ts';

/**
 * Writes a conversation as a `messages` array of chat completions. Content that the format has a shape for takes that shape;
 * any other content is a part that `fromOpenAIMessages` reads back, so reading the written array gives the same content,
 * order, ids and provider data. Record fields (block ids, status, versions) stay behind.
 */
export function toOpenAIMessages(conversation: { systemPrompt?: string; messages: readonly Message[] }): PlainObject[] {
  const { systemPrompt, messages } = conversation;
  const written = messages.map((message, index) => writeMessage(message, index === 0));
  return systemPrompt === undefined ? written : [{ role: 'system', content: systemPrompt }, ...written];
}

function writeMessage(message: Message, isFirst: boolean): PlainObject {
  const [first, ...rest] = message.content;
  const kept = keptWhole(message, isFirst);
  if (kept !== undefined) return kept;
  const extra = first === undefined ? {} : foldExtra(openAIData(first, 'message'));
  const blocks = first === undefined ? [] : [withoutOpenAIData(first, 'message'), ...rest];
  switch (message.role) {
    case 'user':
      return { role: 'user', content: writeContent(blocks), ...extra };
    case 'assistant':
      return { role: 'assistant', ...writeAssistant(blocks), ...extra };
    case 'tool': {
      const { role, tool_call_id, is_error } = message;
      // A raw block that only held the fields of an empty message is not part of its content.
      const onlyHolds = first?.type === 'raw' && first.source === 'openai-message' && first.value === null;
      const content = writeContent(onlyHolds && Object.keys(extra).length > 0 ? rest : blocks);
      return { role, tool_call_id, content, ...(is_error === true ? { is_error } : {}), ...extra };
    }
  }
}

/**
 * A message that could not be read and that was kept whole goes out as it came in, if it is kept whole again when it is
 * read: a part may look like a message, and a system message at the top would become the prompt.
 */
function keptWhole(message: Message, isFirst: boolean): PlainObject | undefined {
  const [block, second] = message.content;
  if (message.role !== 'user' || second !== undefined || block?.type !== 'raw') return undefined;
  const { source, value, provider } = block;
  if (source !== 'openai' || provider !== undefined || !isPlainObject(value) || !Object.hasOwn(value, 'role')) {
    return undefined;
  }
  const item = readItem(value);
  const isRead = item !== undefined && item.pieces.length > 0;
  return isRead || (isFirst && readSystemText(value) !== undefined) ? undefined : value;
}

/**
 * The calls go to their own field if everything else comes before them, as the format wants it; else they stay among the
 * parts, because order is content.
 */
function writeAssistant(blocks: readonly MessageBlock[]): PlainObject {
  const firstCall = blocks.findIndex((block) => block.type === 'tool-use');
  const tail = firstCall === -1 ? [] : blocks.slice(firstCall);
  const calls = tail.filter((block) => block.type === 'tool-use');
  if (calls.length < tail.length || !calls.every(fitsField)) return { content: blocks.map(writePart) };
  const [thinking, ...others] = blocks.slice(0, blocks.length - calls.length);
  const field = thinking?.type === 'thinking' ? writeThinkingField(thinking) : undefined;
  const parts = thinking === undefined || field !== undefined ? others : [thinking, ...others];
  return {
    content: parts.length === 0 ? null : writeContent(parts),
    ...field,
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }),
  };
}

/** Reasoning that came as a field beside the content goes back there. */
function writeThinkingField(block: ThinkingBlock): PlainObject | undefined {
  const data = block.provider?.[arrayKey];
  const field = isPlainObject(data) ? data['field'] : undefined;
  return typeof field === 'string' && block.text !== '' ? { [field]: block.text } : undefined;
}

function writeCall(block: ToolUseBlock): PlainObject {
  const text = block.arguments ?? JSON.stringify(block.parameters);
  const { function: ofFunction, ...extra } = openAIData(block, 'call');
  if (extra['type'] === 'custom') return { id: block.id, ...extra, custom: { name: block.name, input: text } };
  const called = { name: block.name, arguments: text, ...(isPlainObject(ofFunction) ? ofFunction : {}) };
  return { id: block.id, type: 'function', function: called, ...extra };
}

/** Returns true if the field holds everything about a call. */
function fitsField(block: ToolUseBlock): boolean {
  return stableDeepEqual(readToolCall(writeCall(block)), contentAndProvider(block));
}

/** A single plain text is a string, everything else an array of parts. */
function writeContent(blocks: readonly MessageBlock[]): string | unknown[] {
  const [first, second] = blocks;
  if (first === undefined) return '';
  const plain = first.type === 'text' && second === undefined && first.provider === undefined && first.text !== '';
  return plain ? first.text : blocks.map(writePart);
}

/** The part in the format's own spelling if that says everything, else Loom's block as it is. */
function writePart(block: MessageBlock): unknown {
  const part = writeNativePart(block);
  return part !== undefined && readsBackAs(part, block) ? part : contentAndProvider(block);
}

function writeNativePart(block: MessageBlock): unknown {
  switch (block.type) {
    case 'text':
      return writeText(block);
    case 'thinking':
      return writeThinking(block);
    case 'image': {
      const { detail, ...extra } = openAIData(block, 'part');
      const image = detail === undefined ? { url: block.url } : { url: block.url, detail };
      return { type: 'image_url', image_url: image, ...extra };
    }
    case 'tool-use': {
      const { id, name, parameters, arguments: text } = block;
      const part = { type: 'tool_use', id, name, input: parameters, ...openAIData(block, 'call') };
      return text === undefined ? part : { ...part, arguments: text };
    }
    case 'raw':
      return block.source === 'openai' ? block.value : undefined;
    case 'code':
    case 'command':
    case 'file-change':
    case 'todo':
    case 'sources':
    case 'conversation':
    case 'error':
      return undefined;
  }
}

/** Writes thinking as the provider that wrote it spells it; hidden thinking has no text at all. */
function writeThinking({ text, provider = {} }: ThinkingBlock): PlainObject {
  const [data] = [provider['anthropic'], provider['mistral']].filter(isPlainObject);
  const isWhole = data?.['type'] === 'redacted_thinking';
  return isWhole ? data : { type: 'thinking', thinking: text, ...data };
}

function writeText(block: TextBlock): PlainObject {
  const extra = openAIData(block, 'part');
  if (extra['type'] === 'refusal') return { ...extra, refusal: block.text };
  return { type: 'text', text: block.text, ...extra };
}

/** Returns true if reading a part gives the block that it was written from. */
function readsBackAs(part: unknown, block: MessageBlock): boolean {
  const reading = readPart(part);
  switch (reading.kind) {
    case 'block':
      return stableDeepEqual(contentAndProvider(reading.block), contentAndProvider(block));
    case 'call':
      return stableDeepEqual(reading.call, contentAndProvider(block));
    case 'refused':
      return block.type === 'raw' && block.provider === undefined;
    case 'result':
      return false;
  }
}
