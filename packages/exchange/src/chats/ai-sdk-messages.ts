import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { fromModelMessages, fromUIMessages } from '../ai-sdk/index.ts';
import type { ForeignItem, Tally } from '../foreign/foreign.ts';
import { hashOf } from './fields.ts';
import { messagesIn, nodesOf } from './openai-messages.ts';

/**
 * Returns true if a record is a list of AI SDK messages, alone or in a field: UI messages, which have parts, or model messages of which some hold a
 * part that only the SDK spells this way. Lists of plain text look the same everywhere.
 */
export function recognizesAiSdkMessages(record: unknown): boolean {
  const messages = messagesIn(record) ?? [];
  return messages.length > 0 && messages.every(isMessage) && messages.some((one) => isUIMessage(one) || hasSign(one));
}

/** Reads such a list as a conversation. Its name is derived from its content: it has no other. */
export function readAiSdkMessages(record: unknown, tally: Tally): ForeignItem[] {
  const given = messagesIn(record) ?? [];
  const read = given.some(isUIMessage) ? fromUIMessages(given) : fromModelMessages(given);
  const { systemPrompt, messages, notes } = read;
  const unknown = notes.find(({ reason }) => reason === 'kept-raw');
  if (unknown === undefined) tally.used();
  else tally.raw('part of the AI SDK');
  const id = hashOf(given);
  return [
    { type: 'conversation', conversation: { id, ...(systemPrompt === undefined ? {} : { systemPrompt }) } },
    ...nodesOf(messages, { id, provider: 'ai-sdk', model: '', first: 0, above: undefined }),
  ];
}

function isMessage(value: unknown): value is PlainObject {
  if (!isPlainObject(value) || !roles.has(String(value['role']))) return false;
  return value['content'] !== undefined || isUIMessage(value);
}

function isUIMessage(value: unknown): boolean {
  const parts = isPlainObject(value) ? value['parts'] : undefined;
  return Array.isArray(parts) && parts.length > 0 && parts.every((part) => typeOf(part) !== undefined);
}

function hasSign(value: unknown): boolean {
  const content = isPlainObject(value) ? value['content'] : undefined;
  return (
    Array.isArray(content) &&
    content.some((part: unknown) => {
      const field = signs.get(typeOf(part) ?? '');
      return field !== undefined && isPlainObject(part) && typeof part[field] === 'string';
    })
  );
}

function typeOf(part: unknown): string | undefined {
  const type = isPlainObject(part) ? part['type'] : undefined;
  return typeof type === 'string' ? type : undefined;
}

const roles = new Set(['system', 'user', 'assistant', 'tool']);
/** The parts that other lists do not have or spell differently, each with a field that proves it. */
const signs = new Map([
  ['tool-call', 'toolCallId'],
  ['tool-result', 'toolCallId'],
  ['reasoning', 'text'],
  ['file', 'mediaType'],
]);
