import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { ForeignItem, Tally } from '../foreign/foreign.ts';
import { chatItems } from './chat-tree.ts';
import type { ChatMessage, ChatPiece } from './chat-tree.ts';
import { readAttachments, readContent } from './chatgpt-content.ts';
import type { FindFile } from './chatgpt-content.ts';
import { listIn, textIn } from '../foreign/fields.ts';
import { hashOf, keyed, objectOf, pagesBlock, parametersOf, timeFields, timeOf } from './fields.ts';

/** Checks that a record is a conversation of ChatGPT's export. */
export function recognizesChatGPT(record: unknown): record is PlainObject {
  return isPlainObject(record) && isPlainObject(record['mapping']);
}

/** Reads a conversation of ChatGPT's export, with all its branches. Each message is tallied. */
export async function readChatGPT(record: PlainObject, tally: Tally, findFile: FindFile): Promise<ForeignItem[]> {
  const mapping = new Map(Object.entries(objectOf(record['mapping'])));
  const id = textIn(record['conversation_id']) ?? textIn(record['id']) ?? hashOf([...mapping.keys()].slice(0, 3));
  const prompt: string[] = [];
  const calls = new CallsOfPath(mapping);
  const messages: ChatMessage[] = [];
  for (const [key, entry] of mapping) {
    const parent = textIn(objectOf(entry)['parent']);
    const message = objectOf(entry)['message'];
    const pieces = isPlainObject(message) ? await readMessage(key, message, { tally, findFile, calls, prompt }) : [];
    if (!isPlainObject(message)) tally.used();
    messages.push({ id: key, parent, pieces });
  }
  tally.used();
  const title = textIn(record['title']);
  const created = timeOf(record['create_time']);
  const current = textIn(record['current_node']);
  return chatItems(
    {
      id,
      ...(title === undefined ? {} : { title }),
      ...(created === undefined ? {} : { created_at: created }),
      ...(prompt.length === 0 ? {} : { systemPrompt: prompt.join('\n\n') }),
      ...(current === undefined ? {} : { details: { current_node: current } }),
    },
    inOrder(messages, mapping),
    tally,
  );
}

interface MessageScope {
  readonly tally: Tally;
  readonly findFile: FindFile;
  readonly calls: CallsOfPath;
  /** The texts of the system messages at the top. */
  readonly prompt: string[];
}

async function readMessage(id: string, message: PlainObject, scope: MessageScope): Promise<ChatPiece[]> {
  const { tally, findFile, calls, prompt } = scope;
  const role = textIn(objectOf(message['author'])['role']);
  const content = objectOf(message['content']);
  const metadata = objectOf(message['metadata']);
  const { blocks, unknown } = await readContent(content, findFile);
  if (unknown === undefined) tally.used();
  else tally.raw(unknown);
  const isHidden = metadata['is_visually_hidden_from_conversation'] === true;
  const times = timeFields(message['create_time']);
  const given = role === 'user' ? await readAttachments(listIn(metadata['attachments']), content, findFile) : [];
  const said = [...blocks, ...given].filter((block) => block.type !== 'text' || block.text !== '');
  if (role === 'tool')
    return said.length === 0 && isHidden ? [] : [toolPiece(id, message, { blocks: said, calls }, times)];
  const recipient = textIn(message['recipient']);
  if (role === 'assistant' && recipient !== undefined && recipient !== 'all') {
    return [
      { id, role: 'assistant', source: modelOf(metadata), blocks: keyed(id, [callOf(id, recipient, said)]), ...times },
    ];
  }
  if (said.length === 0) return [];
  if (role === 'assistant') {
    const blocks = keyed(id, [...said, ...citedPages(metadata)]);
    return [{ id, role: 'assistant', source: modelOf(metadata), blocks, ...times }];
  }
  const isContext = content['content_type'] === 'user_editable_context';
  if (role === 'system' && isTextAlone(said) && calls.isTop(id)) {
    prompt.push(...said.flatMap((block) => (block.type === 'text' ? [block.text] : [])));
    return [];
  }
  const shown = said.flatMap((block) => forUser(block));
  const details = isContext || isHidden || role !== 'user' ? { details: { synthetic: true, ...roleOf(role) } } : {};
  return [{ id, role: 'user', source: { type: 'user' }, blocks: keyed(id, shown), ...times, ...details }];
}

/** Returns the pages that an answer names; older and newer exports spell them in different ways. */
function citedPages(metadata: PlainObject): MessageBlock[] {
  const citations = listIn(metadata['citations']).map((citation) => objectOf(objectOf(citation)['metadata']));
  const references = listIn(metadata['content_references']).flatMap((reference) => {
    const { items } = objectOf(reference);
    return [objectOf(reference), ...listIn(items).map(objectOf)];
  });
  const listed = listIn(objectOf(metadata['_cite_metadata'])['metadata_list']).map(objectOf);
  // The pages that a search has found, cited by the answer or not.
  const found = listIn(metadata['search_result_groups']).flatMap((group) => listIn(objectOf(group)['entries']));
  return pagesBlock([...citations, ...references, ...listed, ...found.map(objectOf)]);
}

function roleOf(role: string | undefined): PlainObject {
  return role === undefined || role === 'user' ? {} : { role };
}

function isTextAlone(blocks: readonly MessageBlock[]): boolean {
  return blocks.every(({ type }) => type === 'text');
}

/** Converts a block to blocks that a user message may hold. */
function forUser(block: MessageBlock): MessageBlock[] {
  if (block.type === 'text' || block.type === 'image' || block.type === 'raw') return [block];
  if (block.type === 'thinking') return [{ type: 'text', text: block.text }];
  if (block.type === 'code') return [{ type: 'text', text: block.content }];
  // The error is there as text, too.
  return block.type === 'error' ? [] : [{ type: 'raw', source: 'chatgpt', value: block }];
}

/** Returns a model's message to a tool as a call of that tool. */
function callOf(id: string, recipient: string, said: readonly MessageBlock[]): MessageBlock {
  const text = said
    .flatMap((block) => (block.type === 'text' ? [block.text] : block.type === 'code' ? [block.content] : []))
    .join('\n');
  return { type: 'tool-use', id, name: recipient, parameters: parametersOf(text, 'input') };
}

function toolPiece(
  id: string,
  message: PlainObject,
  { blocks, calls }: { blocks: readonly MessageBlock[]; calls: CallsOfPath },
  times: Pick<ChatPiece, 'started_at'>,
): ChatPiece {
  const name = textIn(objectOf(message['author'])['name']) ?? 'tool';
  const isError = objectOf(message['content'])['content_type'] === 'system_error';
  return {
    id,
    role: 'tool',
    source: { type: 'tool_result', tool_name: name },
    tool_call_id: calls.above(id) ?? id,
    tool: isError ? 'error' : 'result',
    ...(isError ? { is_error: true } : {}),
    blocks: keyed(
      id,
      blocks.map((block) => (block.type === 'thinking' ? { type: 'text', text: block.text } : block)),
    ),
    ...times,
  };
}

function modelOf(metadata: PlainObject): ChatPiece['source'] {
  const model = textIn(metadata['model_slug']) ?? textIn(metadata['default_model_slug']) ?? '';
  return { type: 'model', provider: 'openai', model_name: model, parameters: {} };
}

/** Finds the message above a result that called the tool. */
class CallsOfPath {
  readonly #mapping: ReadonlyMap<string, unknown>;

  constructor(mapping: ReadonlyMap<string, unknown>) {
    this.#mapping = mapping;
  }

  above(id: string): string | undefined {
    let at = this.#parent(id);
    // Several results of one call hang below each other.
    for (let steps = 0; at !== undefined && steps < 1000; steps += 1) {
      const message = objectOf(objectOf(this.#mapping.get(at))['message']);
      const role = objectOf(message['author'])['role'];
      if (role === 'assistant') {
        const recipient = textIn(message['recipient']);
        return recipient === undefined || recipient === 'all' ? undefined : at;
      }
      if (role !== 'tool') return undefined;
      at = this.#parent(at);
    }
    return undefined;
  }

  /** Returns true if nothing was said above. */
  isTop(id: string): boolean {
    let at = this.#parent(id);
    for (let steps = 0; at !== undefined && steps < 100; steps += 1) {
      const message = objectOf(objectOf(this.#mapping.get(at))['message']);
      const role = objectOf(message['author'])['role'];
      if (role !== undefined && role !== 'system') return false;
      at = this.#parent(at);
    }
    return true;
  }

  #parent(id: string): string | undefined {
    return textIn(objectOf(this.#mapping.get(id))['parent']);
  }
}

/** Orders siblings by the lists of children, since the order of the file may differ. */
function inOrder(messages: readonly ChatMessage[], mapping: ReadonlyMap<string, unknown>): ChatMessage[] {
  const places = new Map<string, number>();
  for (const entry of mapping.values()) {
    const children = objectOf(entry)['children'];
    if (!Array.isArray(children)) continue;
    for (const [index, child] of children.entries()) if (typeof child === 'string') places.set(child, index);
  }
  return [...messages].sort((a, b) => (places.get(a.id) ?? 0) - (places.get(b.id) ?? 0));
}
