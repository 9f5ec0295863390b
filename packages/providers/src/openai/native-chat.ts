import { blocksShownToModel, isBlank, isPlainObject } from '@loom/blocks';
import type { AssistantMessage, ImageBlock, Message, ModelBlock, PlainObject, ToolMessage } from '@loom/blocks';
import type { LeftOut } from '../api/api.ts';
import { CallIds } from '../api/request/call-ids.ts';
import { argumentsJson, wellFormedJson } from '../api/request/json.ts';
import { filePart, whyLeftOut } from './file-parts.ts';
import type { ConversationScope } from './native-input.ts';
import { beginning, goOn, madeAbove, saidNothing, shownByTools } from './words.ts';

/** The form in which a server wants its model's thoughts back. */
export type ThinkingForm = 'none' | 'reasoning_content' | 'reasoning_details';

export interface ChatScope extends ConversationScope {
  /** The name under which blocks keep the data that this server wants back. */
  provider: string;
  thinking: ThinkingForm;
  /** True if the model continues an answer that is the last message. */
  takesPrefix: boolean;
  /** True if the part for the server's cache has to be marked. Then contents are parts, which have a place for marks, and the prompt is one too. */
  marksCache?: boolean;
  /** Written only if cache marks are. */
  systemPrompt?: string;
}

/** The written `messages` of chat completions. */
export interface NativeChat {
  messages: string[];
  leftOut: LeftOut[];
}

interface ChatMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  fields: PlainObject;
}

/**
 * Writes the messages of a request. Results can only be text, so the images among them are sent by the user, right after the results of one message.
 */
export function writeChat(scope: ChatScope): NativeChat {
  const writer = new ChatWriter(scope);
  for (const message of scope.messages) writer.add(message);
  return writer.finish();
}

class ChatWriter {
  readonly #scope: ChatScope;
  readonly #messages: ChatMessage[] = [];
  // "string too long. Expected a string with maximum length 40": shorter than in the Responses API.
  readonly #ids = new CallIds(40);
  readonly #leftOut: LeftOut[] = [];
  /** Images by models or tools, which only a user may send, and the text before them. */
  #pictures: { words: string; parts: PlainObject[] } = { words: '', parts: [] };

  constructor(scope: ChatScope) {
    this.#scope = scope;
  }

  add(message: Message): void {
    switch (message.role) {
      case 'user':
        return this.#addUser(blocksShownToModel(message));
      case 'assistant':
        return this.#addAssistant(message);
      case 'tool':
        return this.#addResult(message);
    }
  }

  finish(): NativeChat {
    if (this.#pictures.words === shownByTools) this.#addUser([]);
    const messages = this.#messages;
    if (messages.length === 0) throw new Error('there is nothing to answer');
    if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', fields: { content: beginning } });
    const last = messages.at(-1);
    if (last?.role === 'assistant' && !this.#scope.takesPrefix)
      messages.push({ role: 'user', fields: { content: goOn } });
    const written = this.#scope.marksCache === true ? withMarks(messages, this.#scope.systemPrompt) : messages;
    return { messages: written.map(({ role, fields }) => write({ role, ...fields })), leftOut: this.#leftOut };
  }

  #addUser(blocks: readonly ModelBlock[]): void {
    const { words, parts: pictures } = this.#pictures;
    this.#pictures = { words: '', parts: [] };
    const parts = blocks.flatMap((block) => this.#userPart(block));
    if (pictures.length > 0) parts.unshift(textPart(words), ...pictures);
    const [first, ...more] = parts;
    if (first === undefined) return;
    const content = first.type === 'text' && more.length === 0 ? first.text : parts;
    this.#messages.push({ role: 'user', fields: { content } });
  }

  #userPart(block: ModelBlock): PlainObject[] {
    if (block.type === 'image') return [this.#filePart(block)];
    return block.type === 'text' && !isBlank(block.text) ? [textPart(block.text)] : [];
  }

  #addAssistant(message: AssistantMessage): void {
    if (this.#pictures.words === shownByTools) this.#addUser([]);
    const blocks = blocksShownToModel(message);
    const said = blocks.flatMap((block) => (block.type === 'text' && !isBlank(block.text) ? [block.text] : []));
    const calls = blocks.flatMap((block) => {
      if (block.type !== 'tool-use') return [];
      const called = { name: this.#scope.names.toWire(block.name), arguments: argumentsJson(block) };
      return [{ id: this.#ids.call(block.id), type: 'function', function: called }];
    });
    for (const block of blocks) if (block.type === 'image') this.#keepPicture(madeAbove, block);
    if (said.length + calls.length === 0) return;
    const content = said.length === 0 ? null : said.join('\n\n').toWellFormed();
    const more = calls.length === 0 ? {} : { tool_calls: calls };
    this.#messages.push({ role: 'assistant', fields: { content, ...this.#thinkingOf(blocks), ...more } });
  }

  #thinkingOf(blocks: readonly ModelBlock[]): PlainObject {
    const thoughts = blocks.filter((block) => block.type === 'thinking');
    if (thoughts.length === 0) return {};
    switch (this.#scope.thinking) {
      case 'none':
        this.#leftOut.push({ what: 'thinking', why: 'This server does not take back what its models have thought.' });
        return {};
      case 'reasoning_content':
        return {
          reasoning_content: thoughts
            .map(({ text }) => text)
            .join('\n')
            .toWellFormed(),
        };
      case 'reasoning_details': {
        const details = thoughts.flatMap(({ provider }) => {
          const own = provider?.[this.#scope.provider];
          return isPlainObject(own) && Array.isArray(own.reasoning_details) ? own.reasoning_details.map(unknownOf) : [];
        });
        return details.length === 0 ? {} : { reasoning_details: details };
      }
    }
  }

  #addResult(message: ToolMessage): void {
    const id = this.#ids.answer(message.tool_call_id);
    if (id === undefined) return;
    const blocks = blocksShownToModel(message);
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    for (const block of blocks) if (block.type === 'image') this.#keepPicture(shownByTools, block);
    const content = text === '' && message.is_error === true ? saidNothing : text.toWellFormed();
    this.#messages.push({ role: 'tool', fields: { tool_call_id: id, content } });
  }

  #keepPicture(words: string, block: ImageBlock): void {
    const { parts } = this.#pictures;
    this.#pictures = { words, parts: [...parts, this.#filePart(block)] };
  }

  #filePart(block: ImageBlock): PlainObject {
    const { files, tooLarge } = this.#scope;
    const part = filePart(block, files, tooLarge);
    if (part?.type === 'image') return { type: 'image_url', image_url: { url: part.url } };
    if (part?.type === 'text') return textPart(part.text);
    if (part?.type === 'pdf' && part.isData)
      return { type: 'file', file: { filename: part.filename, file_data: part.url } };
    const why = whyLeftOut(block, tooLarge);
    this.#leftOut.push({ what: 'file', why });
    return textPart(`(${why})`);
  }
}

/** Marks the prompt and the ends of the last two messages that are not the model's, as for Anthropic itself. Nothing else changes with the marks. */
function withMarks(messages: readonly ChatMessage[], systemPrompt: string | undefined): ChatMessage[] {
  const isPrompted = systemPrompt !== undefined && !isBlank(systemPrompt);
  const prompt: ChatMessage[] = isPrompted
    ? [{ role: 'system', fields: { content: systemPrompt.toWellFormed() } }]
    : [];
  const heard = messages.filter(({ role }) => role !== 'assistant').slice(-2);
  return [...prompt, ...messages].map((message) => {
    const { role, fields } = message;
    if (role === 'assistant') return message;
    const parts = typeof fields.content === 'string' ? [textPart(fields.content)] : listOf(fields.content);
    const isMarked = role === 'system' || heard.includes(message);
    // An empty text takes no mark.
    const last = parts.findLastIndex(({ text }) => text !== '');
    const content = parts.map((part, index) =>
      isMarked && index === last ? { ...part, cache_control: marker } : part,
    );
    return { role, fields: { ...fields, content } };
  });
}

const marker = { type: 'ephemeral' };

function listOf(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}

function textPart(text: string): PlainObject {
  return { type: 'text', text: text.toWellFormed() };
}

function unknownOf(value: unknown): unknown {
  return value;
}

function write(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}
