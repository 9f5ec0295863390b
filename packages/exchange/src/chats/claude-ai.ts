import { isPlainObject } from '@loom/blocks';
import type { MessageBlock, PlainObject } from '@loom/blocks';
import type { ForeignItem, Tally } from '../foreign/foreign.ts';
import { chatItems } from './chat-tree.ts';
import type { ChatMessage, ChatPiece } from './chat-tree.ts';
import { listIn, textIn } from '../foreign/fields.ts';
import { hashOf, keyed, objectOf, pagesBlock, parametersOf, rawBlock, timeFields, timeOf } from './fields.ts';

/** Checks that a record is a conversation of Claude.ai's export. */
export function recognizesClaudeAI(record: unknown): record is PlainObject {
  return isPlainObject(record) && Array.isArray(record['chat_messages']);
}

/** Reads a conversation of Claude.ai's export. Each message is tallied. */
export function readClaudeAI(record: PlainObject, tally: Tally): ForeignItem[] {
  const given = listIn(record['chat_messages']);
  const messages: ChatMessage[] = [];
  const known = new Set(given.flatMap((message) => textIn(objectOf(message)['uuid']) ?? []));
  for (const [index, message] of given.entries()) {
    if (!isPlainObject(message)) {
      tally.reported('A message is not an object.');
      continue;
    }
    const id = textIn(message['uuid']) ?? `message-${index}`;
    const above = textIn(message['parent_message_uuid']);
    // The first messages name a parent that never existed; older exports name none at all.
    const parent = above === undefined ? messages.at(-1)?.id : known.has(above) ? above : undefined;
    messages.push({ id, parent, pieces: readMessage(id, message, tally) });
  }
  tally.used();
  const title = textIn(record['name']);
  const created = timeOf(record['created_at']);
  const id = textIn(record['uuid']) ?? hashOf(given.slice(0, 1));
  return chatItems(
    { id, ...(title === undefined ? {} : { title }), ...(created === undefined ? {} : { created_at: created }) },
    messages,
    tally,
  );
}

function readMessage(id: string, message: PlainObject, tally: Tally): ChatPiece[] {
  const writer = new PieceWriter(id, message);
  const content = listIn(message['content']);
  for (const [index, block] of content.entries()) writer.add(block, index);
  const text = textIn(message['text']);
  if (text !== undefined && content.length === 0) writer.say({ type: 'text', text });
  for (const attachment of listIn(message['attachments'])) writer.attach(attachment);
  for (const file of listIn(message['files'])) writer.name(file);
  if (writer.unknown === undefined) tally.used();
  else tally.raw(writer.unknown);
  return writer.pieces;
}

/** Claude.ai keeps calls and their results within one answer; here results are separate messages, and the blocks after them form another answer. */
class PieceWriter {
  readonly pieces: ChatPiece[] = [];
  unknown: string | undefined;
  readonly #id: string;
  readonly #isHuman: boolean;
  readonly #times: Pick<ChatPiece, 'started_at'>;
  readonly #calls: string[] = [];
  #blocks: MessageBlock[] = [];
  #open: { id: string } | undefined;

  constructor(id: string, message: PlainObject) {
    this.#id = id;
    this.#isHuman = message['sender'] === 'human' || message['sender'] === 'user';
    this.#times = timeFields(message['created_at']);
  }

  add(value: unknown, index: number): void {
    const block = objectOf(value);
    const text = textIn(block['text']);
    switch (block['type']) {
      case 'text':
      case 'voice_note':
        if (text !== undefined) this.say({ type: 'text', text });
        if (!this.#isHuman) for (const cited of citedPages(block)) this.say(cited);
        return;
      case 'thinking': {
        const thought = textIn(block['thinking']);
        if (thought !== undefined)
          this.say(this.#isHuman ? { type: 'text', text: thought } : { type: 'thinking', text: thought });
        return;
      }
      case 'tool_use':
        return this.#call(block, index);
      case 'tool_result':
        return this.#result(block, index);
      // The tokens the model has left: not a part of the conversation.
      case 'token_budget':
      case 'flag':
        return;
      default:
        this.unknown ??= textIn(block['type']) ?? 'block';
        this.say(rawBlock('claude-ai', value));
    }
  }

  say(block: MessageBlock): void {
    if (this.#open === undefined) {
      const id = this.pieces.length === 0 ? this.#id : `${this.#id}/part-${this.pieces.length}`;
      this.#blocks = [];
      this.#open = { id };
      this.pieces.push({
        id,
        role: this.#isHuman ? 'user' : 'assistant',
        source: this.#isHuman
          ? { type: 'user' }
          : { type: 'model', provider: 'anthropic', model_name: '', parameters: {} },
        blocks: [],
        ...this.#times,
      });
    }
    this.#blocks.push(block);
    const last = this.pieces.at(-1);
    if (last !== undefined) this.pieces.splice(-1, 1, { ...last, blocks: keyed(last.id, this.#blocks) });
  }

  /** Adds a file whose text Claude.ai has extracted: the model was shown the text. */
  attach(value: unknown): void {
    const file = objectOf(value);
    const text = textIn(file['extracted_content']);
    const name = textIn(file['file_name']);
    if (text !== undefined) this.say({ type: 'text', text: name === undefined ? text : `${name}\n\n${text}` });
    else this.name(value);
  }

  /** A file whose bytes are not in the export. */
  name(value: unknown): void {
    const name = textIn(objectOf(value)['file_name']);
    if (name !== undefined) this.say(rawBlock('claude-ai-file', value));
  }

  #call(block: PlainObject, index: number): void {
    const name = textIn(block['name']) ?? 'tool';
    if (this.#isHuman) return this.say(rawBlock('claude-ai', block));
    const id = textIn(block['id']) ?? `${this.#id}/${index}`;
    this.#calls.push(id);
    this.say({ type: 'tool-use', id, name, parameters: parametersOf(block['input'], 'input') });
  }

  #result(block: PlainObject, index: number): void {
    const named = textIn(block['tool_use_id']);
    const call = named !== undefined && this.#calls.includes(named) ? named : this.#calls[0];
    if (call === undefined || this.#isHuman) return this.say(rawBlock('claude-ai', block));
    this.#calls.splice(this.#calls.indexOf(call), 1);
    const isError = block['is_error'] === true;
    const content = block['content'];
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : listIn(content);
    const id = `${this.#id}/${index}`;
    this.#open = undefined;
    this.pieces.push({
      id,
      role: 'tool',
      source: { type: 'tool_result', tool_name: textIn(block['name']) ?? 'tool' },
      tool_call_id: call,
      tool: isError ? 'error' : 'result',
      ...(isError ? { is_error: true } : {}),
      blocks: keyed(
        id,
        parts.flatMap((part) => this.#resultBlocks(part)),
      ),
      ...this.#times,
    });
  }

  #resultBlocks(value: unknown): MessageBlock[] {
    const part = objectOf(value);
    const text = textIn(part['text']);
    const said: MessageBlock[] = text === undefined ? [] : [{ type: 'text', text }];
    switch (part['type']) {
      case 'text':
        return said;
      case 'knowledge':
        return [...said, ...pagesBlock([part])];
      default:
        this.unknown ??= `tool_result/${textIn(part['type']) ?? 'part'}`;
        return [rawBlock('claude-ai', value)];
    }
  }
}

function citedPages(block: PlainObject): MessageBlock[] {
  return pagesBlock(
    listIn(block['citations']).map((citation) => ({
      ...objectOf(objectOf(citation)['details']),
      ...objectOf(citation),
    })),
  );
}
