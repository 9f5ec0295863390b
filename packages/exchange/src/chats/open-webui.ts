import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { ForeignItem, Tally } from '../foreign/foreign.ts';
import { chatItems } from './chat-tree.ts';
import type { ChatMessage, ChatPiece } from './chat-tree.ts';
import { listIn, textIn } from '../foreign/fields.ts';
import { hashOf, keyed, objectOf, rawBlock, timeFields, timeOf } from './fields.ts';

/** Whether a record is a chat of Open WebUI's export. */
export function recognizesOpenWebUI(record: unknown): record is PlainObject {
  return isPlainObject(record) && isPlainObject(objectOf(chatOf(record)['history'])['messages']);
}

/** An export of many chats wraps each in a row of the database. */
function chatOf(record: PlainObject): PlainObject {
  return isPlainObject(record['chat']) ? record['chat'] : record;
}

/** Reads a chat of Open WebUI's export, with all its branches. Each message is tallied. */
export function readOpenWebUI(record: PlainObject, tally: Tally): ForeignItem[] {
  const chat = chatOf(record);
  const given = Object.entries(objectOf(objectOf(chat['history'])['messages']));
  const messages: ChatMessage[] = [];
  for (const [key, message] of given) {
    if (!isPlainObject(message)) {
      tally.reported('A message is not an object.');
      continue;
    }
    messages.push({ id: key, parent: textIn(message['parentId']), pieces: readMessage(key, message, tally) });
  }
  tally.used();
  const title = textIn(record['title']) ?? textIn(chat['title']);
  const created = timeOf(record['created_at']) ?? timeOf(chat['timestamp']);
  // A chat that was exported alone may have an empty id: then its first message says which one it is.
  const id = textIn(record['id']) ?? textIn(chat['id']) ?? messages[0]?.id ?? hashOf(title);
  const tags = listIn(chat['tags']).flatMap((tag) => textIn(tag) ?? textIn(objectOf(tag)['name']) ?? []);
  const prompt = textIn(objectOf(chat['params'])['system']);
  return chatItems(
    {
      id,
      ...(title === undefined ? {} : { title }),
      ...(created === undefined ? {} : { created_at: created }),
      ...(prompt === undefined ? {} : { systemPrompt: prompt }),
      ...(tags.length === 0 ? {} : { tags }),
    },
    messages,
    tally,
  );
}

function readMessage(id: string, message: PlainObject, tally: Tally): ChatPiece[] {
  const isAnswer = message['role'] === 'assistant';
  const text = textIn(message['content']) ?? '';
  const blocks = isAnswer ? readAnswer(text) : text === '' ? [] : [textBlock(text)];
  for (const file of listIn(message['files'])) blocks.push(readFile(objectOf(file)));
  const error = objectOf(message['error'])['content'] ?? message['error'];
  if (isAnswer && typeof error === 'string') blocks.push({ type: 'error', code: 'open-webui', message: error });
  tally.used();
  if (blocks.length === 0) return [];
  const times = timeFields(message['timestamp']);
  if (isAnswer) return [{ id, role: 'assistant', source: modelOf(message), blocks: keyed(id, blocks), ...times }];
  const synthetic = message['role'] === 'user' ? {} : { details: { synthetic: true, role: String(message['role']) } };
  return [{ id, role: 'user', source: { type: 'user' }, blocks: keyed(id, blocks), ...times, ...synthetic }];
}

/** Thoughts stand in the text of an answer, in an element that folds. */
function readAnswer(text: string): MessageBlock[] {
  const blocks: MessageBlock[] = [];
  let start = 0;
  for (const match of text.matchAll(/<details type="reasoning"[^>]*>\n?([^]*?)<\/details>\n*/g)) {
    const before = text.slice(start, match.index);
    if (before.trim() !== '') blocks.push(textBlock(before));
    const inside = (match[1] ?? '').replace(/^<summary>[^]*?<\/summary>\n?/, '');
    const thought = inside.replaceAll(/^(?:>|&gt;) ?/gm, '').trim();
    if (thought !== '') blocks.push({ type: 'thinking', text: thought });
    start = match.index + match[0].length;
  }
  const rest = text.slice(start);
  if (rest.trim() !== '') blocks.push(textBlock(rest));
  return blocks;
}

function textBlock(text: string): MessageBlock {
  return { type: 'text', text };
}

function readFile(file: PlainObject): MessageBlock {
  const url = textIn(file['url']);
  const media = /^data:([^;,]+\/[^;,]+)/.exec(url ?? '')?.[1];
  if (url !== undefined && media !== undefined) return { type: 'image', media_type: media, url };
  if (file['type'] === 'image' && url !== undefined && /^https?:/.test(url)) {
    return { type: 'image', media_type: 'image/png', url };
  }
  return rawBlock('open-webui-file', file);
}

function modelOf(message: PlainObject): ChatPiece['source'] {
  const model = textIn(message['model']) ?? textIn(message['modelName']) ?? '';
  const { prompt_tokens: input, completion_tokens: output } = objectOf(message['usage']);
  const isCounted = typeof input === 'number' && typeof output === 'number' && input + output > 0;
  const usage = isCounted ? { usage: { input_tokens: input, output_tokens: output, raw: message['usage'] } } : {};
  return { type: 'model', provider: 'open-webui', model_name: model, parameters: {}, ...usage };
}
