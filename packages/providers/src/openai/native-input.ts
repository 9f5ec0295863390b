import { blocksShownToModel, isBlank, isPlainObject } from '@loom/blocks';
import type {
  AssistantMessage,
  ImageBlock,
  Message,
  ModelBlock,
  PlainObject,
  ThinkingBlock,
  ToolMessage,
  ToolUseBlock,
} from '@loom/blocks';
import type { LeftOut } from '../api/api.ts';
import { CallIds } from '../api/request/call-ids.ts';
import { argumentsJson, wellFormedJson } from '../api/request/json.ts';
import { resultsBehind } from '../api/request/results.ts';
import type { ToolNames } from '../api/request/tool-names.ts';
import { filePart, whyLeftOut } from './file-parts.ts';
import { goOn, madeAbove, saidNothing } from './words.ts';

/** The conversation to send. */
export interface ConversationScope {
  messages: readonly Message[];
  files: ReadonlyMap<string, Uint8Array>;
  names: ToolNames;
  /** Images that the API would refuse, with the reason. */
  tooLarge?: ReadonlyMap<string, string>;
}

/** The written items of `input` of the Responses API. */
export interface NativeInput {
  items: string[];
  leftOut: LeftOut[];
}

interface Item {
  json: string;
  kind: 'user' | 'said' | 'reasoning' | 'output';
}

/**
 * Writes the messages of a request. They are written here and not by the SDK, which drops parts that it thinks the API has stored: native calls, item
 * ids, arguments that it cannot read. The same conversation must give the same bytes, or the prompt cache is lost.
 */
export function writeInput(scope: ConversationScope): NativeInput {
  const writer = new InputWriter(scope);
  for (const [index, message] of scope.messages.entries()) writer.add(message, index);
  return writer.finish();
}

class InputWriter {
  readonly #scope: ConversationScope;
  readonly #items: Item[] = [];
  readonly #ids = new CallIds(64);
  readonly #leftOut: LeftOut[] = [];
  /** The reasoning that goes back, by the ids of its items. */
  readonly #reasoning = new Set<string>();
  /** Images that belong to a native call, by its id. */
  readonly #pictures: ReadonlyMap<unknown, ImageBlock>;
  readonly #nativeCalls = new Set<string>();
  /** The calls of custom tools, by the ids they are sent with. */
  readonly #customCalls = new Set<string>();
  /** Images that a model has made, which only a user may send. */
  #made: ImageBlock[] = [];

  constructor(scope: ConversationScope) {
    this.#scope = scope;
    const pictures = scope.messages.flatMap(({ content }) => content.filter((block) => block.type === 'image'));
    this.#pictures = new Map(pictures.map((block) => [ownData(block)?.itemId, block]));
  }

  add(message: Message, index: number): void {
    switch (message.role) {
      case 'user':
        return this.#addUser(blocksShownToModel(message));
      case 'assistant':
        return this.#addAssistant(message, resultsBehind(this.#scope.messages, index));
      case 'tool':
        return this.#addResult(message);
    }
  }

  finish(): NativeInput {
    const items = withoutLastReasoning(this.#items);
    if (items.length === 0) throw new Error('there is nothing to answer');
    if (items.at(-1)?.kind === 'said') items.push({ kind: 'user', json: userItem([textPart(goOn)]) });
    return { items: items.map(({ json }) => json), leftOut: this.#leftOut };
  }

  #addUser(blocks: readonly ModelBlock[]): void {
    const made = this.#made.map((block) => this.#filePart(block));
    this.#made = [];
    if (made.length > 0) made.unshift(textPart(madeAbove));
    const parts = blocks.flatMap((block) => this.#userPart(block));
    if (made.length + parts.length > 0) this.#push('user', userItem([...made, ...parts]));
  }

  #userPart(block: ModelBlock): PlainObject[] {
    if (block.type === 'image') return [this.#filePart(block)];
    return block.type === 'text' && !isBlank(block.text) ? [textPart(block.text)] : [];
  }

  #addAssistant(message: AssistantMessage, results: ReadonlyMap<string, ToolMessage>): void {
    const blocks = blocksShownToModel(message);
    for (const [index, block] of blocks.entries()) {
      switch (block.type) {
        case 'text':
          this.#addText(block.text, ownData(block)?.phase);
          break;
        case 'thinking':
          this.#addReasoning(blocks, index);
          break;
        case 'tool-use':
          this.#addCall(block, ownData(results.get(block.id)?.content[0]));
          break;
        case 'image':
          if (!this.#nativeCalls.has(String(ownData(block)?.itemId))) this.#made.push(block);
          break;
      }
    }
  }

  #addText(text: string, phase: unknown): void {
    if (isBlank(text)) return;
    const more = typeof phase === 'string' ? { phase } : {};
    this.#push('said', write({ role: 'assistant', content: text.toWellFormed(), ...more }));
  }

  /** A reasoning item is kept as one thought for each part of its summary; they go back as the original item. */
  #addReasoning(blocks: readonly ModelBlock[], index: number): void {
    const id = reasoningId(blocks[index]);
    if (id !== undefined && reasoningId(blocks[index - 1]) === id) return;
    const end = blocks.findIndex((block, at) => at > index && (id === undefined || reasoningId(block) !== id));
    const parts = blocks.slice(index, end === -1 ? blocks.length : end).filter((block) => block.type === 'thinking');
    const encrypted = parts.map((part) => ownData(part)?.reasoningEncryptedContent).findLast(isFilled);
    if (id === undefined || encrypted === undefined) {
      this.#leftOut.push({ what: 'thinking', why: 'It has no encrypted form, and is not accepted without.' });
      return;
    }
    const summary = parts.flatMap(({ text }: ThinkingBlock) => (text === '' ? [] : [{ type: 'summary_text', text }]));
    this.#reasoning.add(id);
    this.#push('reasoning', write({ type: 'reasoning', id, summary, encrypted_content: encrypted }));
  }

  #addCall(block: ToolUseBlock, own: PlainObject | undefined): void {
    this.#nativeCalls.delete(block.id);
    const native = this.#nativeItem(block, own);
    if (native !== undefined) {
      this.#nativeCalls.add(block.id);
      this.#push('said', write(native));
      return;
    }
    const [name, call_id] = [this.#scope.names.toWire(block.name), this.#ids.call(block.id)];
    if (ownData(block)?.callType === 'custom_tool_call') {
      this.#customCalls.add(call_id);
      this.#push('said', write({ type: 'custom_tool_call', call_id, name, input: inputOf(block) }));
      return;
    }
    this.#push('said', write({ type: 'function_call', call_id, name, arguments: argumentsJson(block) }));
  }

  /** Returns a call that OpenAI has run itself unchanged, unless the reasoning that led to it is missing: then it would be refused. */
  #nativeItem({ id, executed }: ToolUseBlock, own: PlainObject | undefined): PlainObject | undefined {
    if (executed !== 'provider' || !isPlainObject(own?.result)) return undefined;
    if (typeof own.reasoning === 'string' && !this.#reasoning.has(own.reasoning)) return undefined;
    if (own.result.type !== 'image_generation_call') return own.result;
    const picture = this.#pictures.get(id);
    const part = picture === undefined ? undefined : filePart(picture, this.#scope.files);
    if (part?.type !== 'image') return undefined;
    return { ...own.result, result: part.url.slice(part.url.indexOf(',') + 1) };
  }

  #addResult(message: ToolMessage): void {
    if (this.#nativeCalls.has(message.tool_call_id)) return;
    const call_id = this.#ids.answer(message.tool_call_id);
    if (call_id === undefined) return;
    const type = this.#customCalls.has(call_id) ? 'custom_tool_call_output' : 'function_call_output';
    this.#push('output', write({ type, call_id, output: this.#outputOf(message) }));
  }

  /** Failures are sent as their text: the API has no field for them. */
  #outputOf(message: ToolMessage): string | PlainObject[] {
    const blocks = blocksShownToModel(message);
    if (blocks.some(({ type }) => type === 'image')) return blocks.flatMap((block) => this.#userPart(block));
    const text = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n');
    return text === '' && message.is_error === true ? saidNothing : text.toWellFormed();
  }

  #filePart(block: ImageBlock): PlainObject {
    const { files, tooLarge } = this.#scope;
    const part = filePart(block, files, tooLarge);
    switch (part?.type) {
      case 'image':
        return { type: 'input_image', image_url: part.url };
      case 'pdf':
        return part.isData
          ? { type: 'input_file', filename: part.filename, file_data: part.url }
          : { type: 'input_file', file_url: part.url };
      case 'text':
        return textPart(part.text);
      case undefined: {
        const why = whyLeftOut(block, tooLarge);
        this.#leftOut.push({ what: 'file', why });
        return textPart(`(${why})`);
      }
    }
  }

  #push(kind: Item['kind'], json: string): void {
    this.#items.push({ kind, json });
  }
}

/** Returns the data that OpenAI wants back with a block. */
function ownData(block: { provider?: PlainObject } | undefined): PlainObject | undefined {
  const own = block?.provider?.openai;
  return isPlainObject(own) ? own : undefined;
}

/** Returns the input of a custom tool: any text. */
function inputOf(block: ToolUseBlock): string {
  const own = ownData(block)?.input;
  return typeof own === 'string' ? own : (block.arguments ?? JSON.stringify(block.parameters)).toWellFormed();
}

function reasoningId(block: ModelBlock | undefined): string | undefined {
  const id = block?.type === 'thinking' ? ownData(block)?.itemId : undefined;
  return typeof id === 'string' ? id : undefined;
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function textPart(text: string): PlainObject {
  return { type: 'input_text', text: text.toWellFormed() };
}

function userItem(content: PlainObject[]): string {
  return write({ role: 'user', content });
}

function write(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}

/** Removes reasoning without a following item of the model that it led to: the API refuses it. */
function withoutLastReasoning(items: readonly Item[]): Item[] {
  let next: Item['kind'] | undefined;
  const kept = items.toReversed().filter(({ kind }) => {
    if (kind !== 'reasoning') next = kind;
    return kind !== 'reasoning' || next === 'said';
  });
  return kept.reverse();
}
