import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { ForeignItem, Tally } from '../foreign/foreign.ts';
import { chatItems } from './chat-tree.ts';
import type { ChatMessage, ChatPiece } from './chat-tree.ts';
import { listIn, textIn } from '../foreign/fields.ts';
import { hashOf, keyed, objectOf, pagesBlock, parametersOf, rawBlock, timeFields, timeOf } from './fields.ts';

/** Checks that a record is a chat of Open WebUI's export. */
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
  // A chat that was exported alone may have an empty id: then its first message identifies it.
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
  const parts = isAnswer ? readAnswer(text) : text === '' ? [] : [textBlock(text)];
  for (const file of listIn(message['files'])) parts.push(readFile(objectOf(file)));
  const error = objectOf(message['error'])['content'] ?? message['error'];
  if (isAnswer && typeof error === 'string') parts.push({ type: 'error', code: 'open-webui', message: error });
  if (isAnswer) parts.push(...pagesBlock(listIn(message['sources']).flatMap(pagesOf)));
  tally.used();
  if (parts.length === 0) return [];
  const times = timeFields(message['timestamp']);
  if (isAnswer) return piecesOf(id, parts, message).map((piece) => ({ ...piece, ...times }));
  const blocks = parts.flatMap((part) => (part.type === 'ran' ? [] : [part]));
  const synthetic = message['role'] === 'user' ? {} : { details: { synthetic: true, role: String(message['role']) } };
  return [{ id, role: 'user', source: { type: 'user' }, blocks: keyed(id, blocks), ...times, ...synthetic }];
}

/** A call that stands in the text of an answer together with its result. */
interface RanCall {
  readonly type: 'ran';
  readonly id: string;
  readonly name: string;
  readonly parameters: PlainObject;
  readonly output: string | undefined;
}

/** Results are separate messages, and so are the blocks that follow them. The first part carries the usage of the answer. */
function piecesOf(id: string, parts: readonly (MessageBlock | RanCall)[], message: PlainObject): ChatPiece[] {
  const pieces: ChatPiece[] = [];
  let said: MessageBlock[] = [];
  const finish = (): void => {
    if (said.length === 0) return;
    const name = pieces.length === 0 ? id : `${id}/part-${pieces.length}`;
    const source = modelOf(pieces.length === 0 ? message : { ...message, usage: undefined });
    pieces.push({ id: name, role: 'assistant', source, blocks: keyed(name, said) });
    said = [];
  };
  for (const part of parts) {
    if (part.type !== 'ran') {
      said.push(part);
      continue;
    }
    const { name, parameters, output } = part;
    const call = part.id === '' ? `${id}/call-${pieces.length}` : part.id;
    said.push({ type: 'tool-use', id: call, name, parameters });
    if (output === undefined) continue;
    finish();
    const key = `${id}/result-${pieces.length}`;
    pieces.push({
      id: key,
      role: 'tool',
      source: { type: 'tool_result', tool_name: name },
      tool_call_id: call,
      tool: 'result',
      blocks: keyed(key, [textBlock(output)]),
    });
  }
  finish();
  return pieces;
}

/** Thoughts and calls stand in the text of an answer, in elements that fold. */
function readAnswer(text: string): (MessageBlock | RanCall)[] {
  const parts: (MessageBlock | RanCall)[] = [];
  let start = 0;
  for (const { from, to, type, attributes, inside } of foldedIn(text)) {
    const before = text.slice(start, from);
    if (before.trim() !== '') parts.push(textBlock(before));
    if (type === 'tool_calls') parts.push(readCall(attributes));
    else {
      const thought = readThought(inside.replace(/^\n?(?:<summary>[^]*?<\/summary>\n?)?/, ''));
      if (thought !== '') parts.push({ type: 'thinking', text: thought });
    }
    start = to;
  }
  const rest = text.slice(start);
  if (rest.trim() !== '') parts.push(textBlock(rest));
  return parts;
}

interface Folded {
  readonly from: number;
  readonly to: number;
  readonly type: string;
  readonly attributes: string;
  readonly inside: string;
}

/** Yields the elements that fold, in one pass through the text, however many of them are begun and never end. */
function* foldedIn(text: string): Generator<Folded> {
  const beginning = /<details type="(reasoning|tool_calls)"/g;
  for (let match = beginning.exec(text); match !== null; match = beginning.exec(text)) {
    const open = beginning.lastIndex;
    const tag = endOfTag(text, open);
    const end = tag === -1 ? -1 : text.indexOf(closing, tag);
    if (end === -1) return;
    let to = end + closing.length;
    while (text.startsWith('\n', to)) to += 1;
    const [attributes, inside] = [text.slice(open, tag), text.slice(tag + 1, end)];
    yield { from: match.index, to, type: match[1] ?? '', attributes, inside };
    beginning.lastIndex = to;
  }
}

const closing = '</details>';

/** Returns the end of an opening tag: the first closing bracket outside attributes. */
function endOfTag(text: string, from: number): number {
  let isQuoted = false;
  for (let at = from; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit === 0x22) isQuoted = !isQuoted;
    else if (unit === 0x3e && !isQuoted) return at;
  }
  return -1;
}

/** A thought is a quotation; newer versions have escaped it for HTML, with the marks of its lines. */
function readThought(inside: string): string {
  const isEscaped = /^&gt;/m.test(inside);
  const thought = inside.replaceAll(/^(?:>|&gt;) ?/gm, '').trim();
  return isEscaped ? unescapeHtml(thought) : thought;
}

function readCall(attributes: string): RanCall {
  const given = new Map<string, string>();
  for (const [, name = '', value = ''] of attributes.matchAll(/([a-z_]+)="([^"]*)"/g))
    given.set(name, unescapeHtml(value));
  const output = valueOf(given.get('result'));
  const isDone = given.get('done') !== 'false' && output !== undefined;
  return {
    type: 'ran',
    id: given.get('id') ?? '',
    name: textIn(given.get('name')) ?? 'tool',
    parameters: parametersOf(valueOf(given.get('arguments')), 'input'),
    output: isDone ? (typeof output === 'string' ? output : JSON.stringify(output)) : undefined,
  };
}

/** An attribute holds JSON, in which a text may be JSON again; else it is plain text. */
function valueOf(attribute: string | undefined): unknown {
  if (attribute === undefined || attribute === '') return undefined;
  try {
    return JSON.parse(attribute);
  } catch {
    return attribute;
  }
}

function unescapeHtml(text: string): string {
  return text.replaceAll(/&(?:lt|gt|quot|amp|#x27|#39);/g, (entity) => entities.get(entity) ?? entity);
}

const entities: ReadonlyMap<string, string> = new Map([
  ['&lt;', '<'],
  ['&gt;', '>'],
  ['&quot;', '"'],
  ['&amp;', '&'],
  ['&#x27;', "'"],
  ['&#39;', "'"],
]);

/** Returns the pages that an answer cites; other sources are files. */
function pagesOf(value: unknown): PlainObject[] {
  const { source, metadata } = objectOf(value);
  const { name, url } = objectOf(source);
  const found = listIn(metadata).map((each) => ({
    url: objectOf(each)['source'],
    title: objectOf(each)['name'] ?? name,
  }));
  return [{ url, title: name }, ...found].filter((page) => /^https?:/.test(textIn(page.url) ?? ''));
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
