import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { ForeignItem, Tally } from '../foreign/foreign.ts';
import { chatItems } from './chat-tree.ts';
import type { ChatMessage, ChatPiece } from './chat-tree.ts';
import { listIn, textIn } from '../foreign/fields.ts';
import { keyed, objectOf, parametersOf, rawBlock, timeFields } from './fields.ts';

/** Checks that a record is a conversation that LibreChat has exported. */
export function recognizesLibreChat(record: unknown): record is PlainObject {
  if (!isPlainObject(record) || textIn(record['conversationId']) === undefined) return false;
  return Array.isArray(record['messages']) || Array.isArray(record['messagesTree']);
}

/** Reads a conversation of LibreChat, whether its messages are a list or nested in each other. Each message is tallied. */
export function readLibreChat(record: PlainObject, tally: Tally): ForeignItem[] {
  const messages: ChatMessage[] = [];
  const ids = new Set<string>();
  const pending = [...listIn(record['messages'] ?? record['messagesTree'])]
    .reverse()
    .map((message): { message: unknown; above: string | undefined } => ({ message, above: undefined }));
  const isNested = record['recursive'] === true || record['messagesTree'] !== undefined;
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { message, above } = next;
    if (!isPlainObject(message)) {
      tally.reported('A message is not an object.');
      continue;
    }
    const id = textIn(message['messageId']) ?? `message-${messages.length}`;
    for (const child of [...listIn(message['children'])].reverse()) pending.push({ message: child, above: id });
    if (ids.has(id)) {
      tally.reported('A message is there twice.');
      continue;
    }
    ids.add(id);
    const named = textIn(message['parentMessageId']);
    const parent = above ?? (named === noMessage || isNested ? undefined : named);
    messages.push({ id, parent, pieces: readMessage(id, message, tally) });
  }
  tally.used();
  const title = textIn(record['title']);
  const prompt = textIn(objectOf(record['options'])['promptPrefix']);
  const created = messages[0]?.pieces[0]?.started_at;
  return chatItems(
    {
      id: textIn(record['conversationId']) ?? '',
      ...(title === undefined ? {} : { title }),
      ...(prompt === undefined ? {} : { systemPrompt: prompt }),
      ...(created === undefined ? {} : { created_at: created }),
    },
    messages,
    tally,
  );
}

/** The parent that first messages name. */
const noMessage = '00000000-0000-0000-0000-000000000000';

function readMessage(id: string, message: PlainObject, tally: Tally): ChatPiece[] {
  const isHuman = message['isCreatedByUser'] === true || message['sender'] === 'User';
  const times = timeFields(message['createdAt']);
  const text = textIn(message['text']);
  const parts = listIn(message['content']);
  const pieces: ChatPiece[] = [];
  let blocks: MessageBlock[] = [];
  let unknown: string | undefined;
  const close = (): void => {
    if (blocks.length === 0) return;
    const own = pieces.length === 0 ? id : `${id}/part-${pieces.length}`;
    const role = isHuman ? 'user' : 'assistant';
    pieces.push({
      id: own,
      role,
      source: isHuman ? { type: 'user' } : modelOf(message),
      blocks: keyed(own, blocks),
      ...times,
    });
    blocks = [];
  };
  for (const [index, value] of parts.entries()) {
    const part = objectOf(value);
    const said = readPart(part, isHuman);
    if (said === undefined) unknown ??= textIn(part['type']) ?? 'part';
    blocks.push(...(said ?? [rawBlock('librechat', value)]));
    const result = objectOf(part['tool_call'])['output'];
    if (part['type'] !== 'tool_call' || isHuman || typeof result !== 'string') continue;
    const call = blocks.at(-1);
    close();
    const key = `${id}/${index}`;
    if (call?.type !== 'tool-use') continue;
    pieces.push({
      id: key,
      role: 'tool',
      source: { type: 'tool_result', tool_name: call.name },
      tool_call_id: call.id,
      tool: 'result',
      blocks: keyed(key, result === '' ? [] : [{ type: 'text', text: result }]),
      ...times,
    });
  }
  if (parts.length === 0 && text !== undefined) {
    const isError = message['error'] === true && !isHuman;
    blocks.push(isError ? { type: 'error', code: 'librechat', message: text } : { type: 'text', text });
  }
  for (const file of listIn(message['files'])) blocks.push(rawBlock('librechat-file', file));
  close();
  if (unknown === undefined) tally.used();
  else tally.raw(unknown);
  return pieces;
}

function readPart(part: PlainObject, isHuman: boolean): MessageBlock[] | undefined {
  const said = (value: unknown): string | undefined => textIn(value) ?? textIn(objectOf(value)['value']);
  switch (part['type']) {
    case 'text': {
      const text = said(part['text']);
      return text === undefined ? [] : [{ type: 'text', text }];
    }
    case 'think': {
      const text = said(part['think']);
      if (text === undefined) return [];
      return [isHuman ? { type: 'text', text } : { type: 'thinking', text }];
    }
    case 'error': {
      const text = said(part['error']) ?? said(part['text']) ?? '';
      return isHuman ? undefined : [{ type: 'error', code: 'librechat', message: text }];
    }
    case 'tool_call': {
      const call = objectOf(part['tool_call']);
      const id = textIn(call['id']);
      if (id === undefined || isHuman) return undefined;
      const name = textIn(call['name']) ?? textIn(objectOf(call['function'])['name']) ?? 'tool';
      return [{ type: 'tool-use', id, name, parameters: parametersOf(call['args'], 'input') }];
    }
    default:
      return undefined;
  }
}

function modelOf(message: PlainObject): ChatPiece['source'] {
  const endpoint = textIn(message['endpoint']) ?? '';
  const provider = providers.get(endpoint) ?? (endpoint === '' ? 'librechat' : endpoint);
  const model = textIn(message['model']) ?? textIn(message['sender']) ?? '';
  return { type: 'model', provider, model_name: model, parameters: {} };
}

/** Loom's names for the providers of LibreChat's endpoints. */
const providers = new Map([
  ['openAI', 'openai'],
  ['azureOpenAI', 'openai'],
  ['anthropic', 'anthropic'],
  ['google', 'google'],
]);
