import { isPlainObject } from '@loom/blocks';
import type { Message, PlainObject } from '@loom/blocks';
import { fromOpenAIMessages } from '@loom/blocks/legacy';
import { appendAll } from '../ai-sdk/append-all.ts';
import { Tally } from '../foreign/foreign.ts';
import type { ForeignItem, ForeignNode, LineReader } from '../foreign/foreign.ts';
import { readJsonLine } from '../foreign/json-line.ts';
import { nestsTooDeep } from '../foreign/depth.ts';
import { listIn, textIn } from '../foreign/fields.ts';
import { hashOf, keyed, objectOf, parametersOf } from './fields.ts';

/** Returns true if a record is a list of chat-completions messages, alone or in a field. */
export function recognizesOpenAIMessages(record: unknown): boolean {
  const messages = messagesIn(record);
  return messages !== undefined && messages.length > 0 && messages.every(isOpenAIMessage);
}

/** The messages of a record, which are itself or in a field of it. */
export function messagesIn(record: unknown): readonly unknown[] | undefined {
  const list: unknown = Array.isArray(record) ? record : objectOf(record)['messages'];
  return Array.isArray(list) ? listIn(list) : undefined;
}

function isOpenAIMessage(value: unknown): value is PlainObject {
  if (!isPlainObject(value) || !roles.has(String(value['role']))) return false;
  // Messages that name their parent are those of a product with branches, not a list.
  if (treeFields.some((field) => value[field] !== undefined)) return false;
  return ['content', 'tool_calls', 'function_call'].some((field) => value[field] !== undefined);
}

const treeFields = ['parentId', 'parent_id', 'parentMessageId', 'children', 'childrenIds'];

const roles = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

/** Reads a list of messages as a conversation. Its name is derived from its content: it has no other. */
export function readOpenAIMessages(record: unknown, tally: Tally): ForeignItem[] {
  const given = messagesIn(record) ?? [];
  const { systemPrompt: said, messages, notes } = fromOpenAIMessages(given.map(withUsualParts));
  // Some files keep it beside the messages.
  const systemPrompt = said ?? textIn(objectOf(record)['system_prompt']) ?? textIn(objectOf(record)['system']);
  const id = hashOf(given);
  const model = textIn(objectOf(record)['model']) ?? '';
  const unknown = notes.find(({ kind }) => kind === 'kept-raw');
  if (unknown === undefined) tally.used();
  else tally.raw(unknown.tag);
  return [
    { type: 'conversation', conversation: { id, ...(systemPrompt === undefined ? {} : { systemPrompt }) } },
    ...nodesOf(messages, { id, model, first: 0, above: undefined }),
  ];
}

interface Place {
  readonly id: string;
  /** The provider of the models that answered. */
  readonly provider?: string;
  readonly model: string;
  readonly first: number;
  readonly above: string | undefined;
}

/** Messages below each other, as items. */
export function nodesOf(
  messages: readonly Message[],
  { id, provider = 'openai', model, first, above }: Place,
): ForeignItem[] {
  const calls = new Map<string, string>();
  let parent = above;
  return messages.map((message, index) => {
    const key = `${id}/${first + index}`;
    const node: ForeignNode = {
      conversation: id,
      id: key,
      ...(parent === undefined ? {} : { parent }),
      role: message.role,
      blocks: keyed(key, message.content),
      source: sourceOf(message, { provider, model }, calls),
      ...(message.role === 'tool' ? resultFields(message) : {}),
    };
    parent = key;
    return { type: 'node', node };
  });
}

function resultFields(message: Extract<Message, { role: 'tool' }>): Partial<ForeignNode> {
  const isError = message.is_error === true;
  return {
    tool_call_id: message.tool_call_id,
    tool: isError ? 'error' : 'result',
    ...(isError ? { is_error: true } : {}),
  };
}

function sourceOf(
  message: Message,
  { provider, model }: { provider: string; model: string },
  calls: Map<string, string>,
): ForeignNode['source'] {
  switch (message.role) {
    case 'user':
      return { type: 'user' };
    case 'assistant':
      for (const block of message.content) if (block.type === 'tool-use') calls.set(block.id, block.name);
      return { type: 'model', provider, model_name: model, parameters: {} };
    case 'tool':
      return { type: 'tool_result', tool_name: calls.get(message.tool_call_id) ?? 'tool' };
  }
}

/** Some training sets spell the text of a part `value`; Cline puts the output of a file or a tool into parts of other types. */
function withUsualParts(message: unknown): unknown {
  if (!isPlainObject(message) || !Array.isArray(message['content'])) return message;
  const content = message['content'].map((part: unknown) => {
    const { type, value, ...rest } = objectOf(part);
    if (type === 'tool_result') return withUsualResult(objectOf(part));
    if (type === 'file') return fileText(rest) ?? part;
    if (typeof value !== 'string') return part;
    if (type === 'text') return { type, text: value, ...rest };
    if (type === 'tool_call') return callIn(value) ?? part;
    return type === 'reasoning' ? { type: 'thinking', thinking: value, ...rest } : part;
  });
  return { ...message, content };
}

function withUsualResult(part: PlainObject): PlainObject {
  if (!Array.isArray(part['content'])) return part;
  const content = part['content'].map((piece: unknown) => {
    const { type, result } = objectOf(piece);
    if (type === 'file') return fileText(objectOf(piece)) ?? piece;
    return type === undefined && typeof result === 'string' ? { type: 'text', text: result } : piece;
  });
  return { ...part, content };
}

/** A file that the model was shown. */
function fileText({ path, content }: PlainObject): PlainObject | undefined {
  if (typeof content !== 'string') return undefined;
  return { type: 'text', text: typeof path === 'string' ? `${path}\n\n${content}` : content };
}

/** A call that is spelled as JSON in a text. */
function callIn(text: string): PlainObject | undefined {
  const { name, arguments: input } = parametersOf(text, 'input');
  return typeof name === 'string' && isPlainObject(input) ? { type: 'tool_use', name, input } : undefined;
}

/**
 * Reads lines of messages: each line a conversation, as in fine-tuning files, or each line a message of one conversation, which is named after its
 * first line.
 */
export class OpenAILinesReader implements LineReader {
  readonly tally = new Tally();
  #items: ForeignItem[] = [];
  #running: { id: string; count: number; last: string | undefined } | undefined;

  push(text: string): void {
    if (text.trim() === '') return;
    if (nestsTooDeep(text)) return this.tally.reported('A line is nested too deep.');
    const line = readJsonLine(text);
    const records = line.kind === 'objects' ? line.objects : line.kind === 'value' ? [line.value] : [];
    const [record, second] = records;
    if (record === undefined || second !== undefined)
      return this.tally.reported('A line is not JSON, or not alone on its line.');
    if (recognizesOpenAIMessages(record)) {
      appendAll(this.#items, readOpenAIMessages(record, this.tally));
      return undefined;
    }
    if (isOpenAIMessage(record)) return this.#readMessage(record);
    return this.tally.raw(listIn(objectOf(record)['messages']).length > 0 ? 'messages' : 'record');
  }

  take(): ForeignItem[] {
    const items = this.#items;
    this.#items = [];
    return items;
  }

  end(): void {}

  #readMessage(record: PlainObject): void {
    this.tally.used();
    const { systemPrompt, messages } = fromOpenAIMessages([withUsualParts(record)]);
    if (this.#running === undefined) {
      const id = hashOf(record);
      this.#running = { id, count: 0, last: undefined };
      const prompt = systemPrompt === undefined ? {} : { systemPrompt };
      this.#items.push({ type: 'conversation', conversation: { id, ...prompt } });
    }
    const { id, count, last } = this.#running;
    const nodes = nodesOf(messages, { id, model: '', first: count, above: last });
    const end = nodes.at(-1);
    this.#running = { id, count: count + Math.max(1, nodes.length), last: end?.type === 'node' ? end.node.id : last };
    appendAll(this.#items, nodes);
  }
}
