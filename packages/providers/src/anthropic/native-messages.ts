import { blocksShownToModel, isBlank, isPlainObject } from '@loom/blocks';
import type { ImageBlock, Message, ModelBlock, PlainObject, ToolMessage, ToolUseBlock } from '@loom/blocks';
import type { LeftOut } from '../api/api.ts';
import { CallIds } from '../api/request/call-ids.ts';
import { argumentsJson, wellFormedJson } from '../api/request/json.ts';
import { placeOf } from '../api/request/picture-limits.ts';
import { resultsBehind } from '../api/request/results.ts';
import type { ToolNames } from '../api/request/tool-names.ts';
import { describeFile, fileBlock } from './native-files.ts';

/** A written block of the Messages API. */
interface NativeBlock {
  json: string;
  /** Thinking must not be the last block of a message, and carries no cache marker. */
  isThinking?: boolean;
  /** True for a call. Nothing may follow a call in its message, though other models say something after their calls. */
  isCall?: boolean;
  /** The text of a text block: the very last one must not end with white space. */
  text?: string;
}

interface NativeMessage {
  role: 'user' | 'assistant';
  blocks: NativeBlock[];
}

export interface NativeConversation {
  /** The JSON of `messages`. */
  json: string;
  leftOut: LeftOut[];
  /** The names of the tools called in it. */
  calledTools: ReadonlySet<string>;
  /** True if the last answer made calls, has their results and does not begin with thinking: with a thinking budget this is refused. */
  lacksThinking: boolean;
}

/** The conversation to send. */
interface Scope {
  messages: readonly Message[];
  files: ReadonlyMap<string, Uint8Array>;
  names: ToolNames;
  /** Images that the API would refuse, with the reason. */
  tooLarge: ReadonlyMap<string, string>;
  /** True if the model continues an answer that is the last message. */
  takesPrefix: boolean;
  /** True if the last message is an answer that Anthropic has paused: it continues unchanged. */
  isPaused: boolean;
}

/**
 * Writes the messages of a request. They are written here and not by the SDK, which reorders blocks and spells arguments in its own way: the same
 * conversation must give the same bytes, or the prompt cache is lost.
 */
export function writeMessages(scope: Scope): NativeConversation {
  const writer = new MessagesWriter(scope);
  for (const [index, message] of scope.messages.entries()) writer.add(message, index);
  return writer.finish();
}

/** The text for a model that must continue and takes no prefix, and the text before an answer without a prompt. */
const goOn = 'Go on exactly where you stopped.';
const beginning = '(The conversation begins with an answer.)';

class MessagesWriter {
  readonly #scope: Scope;
  readonly #messages: NativeMessage[] = [];
  readonly #ids = new CallIds(64);
  readonly #leftOut: LeftOut[] = [];
  readonly #calledTools = new Set<string>();
  /** The results of the calls of the message being written. */
  #results: ReadonlyMap<string, ToolMessage> = new Map();
  /** Images that a model has made, which only a user may send. */
  #made: ImageBlock[] = [];

  constructor(scope: Scope) {
    this.#scope = scope;
  }

  add(message: Message, index: number): void {
    switch (message.role) {
      case 'user':
        return this.#addUser(blocksShownToModel(message));
      case 'assistant':
        this.#results = resultsBehind(this.#scope.messages, index);
        return this.#addAssistant(blocksShownToModel(message));
      case 'tool':
        return this.#addResult(message);
    }
  }

  finish(): NativeConversation {
    const messages = merge(this.#messages.flatMap(withoutLastThinking)).map(withCallsLast);
    if (messages.length === 0) throw new Error('there is nothing to answer');
    if (messages[0]?.role === 'assistant') messages.unshift({ role: 'user', blocks: [textBlock(beginning)] });
    if (messages.at(-1)?.role === 'assistant') this.#endAsPrefix(messages);
    const marked = markedBlocks(messages);
    const json = messages.map(({ role, blocks }) => {
      const content = blocks.map((block) => (marked.has(block) ? withMarker(block.json) : block.json));
      return `{"role":"${role}","content":[${content.join(',')}]}`;
    });
    return {
      json: `[${json.join(',')}]`,
      leftOut: this.#leftOut,
      calledTools: this.#calledTools,
      lacksThinking: lacksThinking(messages),
    };
  }

  /** Ends the conversation with an answer: the model continues it, or is asked to. */
  #endAsPrefix(messages: NativeMessage[]): void {
    if (!this.#scope.takesPrefix && !this.#scope.isPaused) {
      messages.push({ role: 'user', blocks: [textBlock(goOn)] });
      return;
    }
    const last = messages.at(-1)?.blocks;
    const text = last?.at(-1)?.text;
    if (last !== undefined && text !== undefined) last.splice(-1, 1, textBlock(text.trimEnd()));
  }

  #addUser(blocks: readonly ModelBlock[]): void {
    const written = blocks.flatMap((block): NativeBlock[] => {
      if (block.type === 'image') return [this.#writeFile(block)];
      return block.type === 'text' ? this.#writeText(block.text) : [];
    });
    const made = this.#made.map((block) => this.#writeFile(block));
    if (made.length > 0) made.unshift(textBlock('(What was made above:)'));
    this.#made = [];
    this.#push('user', [...made, ...written]);
  }

  #addAssistant(blocks: readonly ModelBlock[]): void {
    const written = blocks.flatMap((block): NativeBlock[] => {
      switch (block.type) {
        case 'text':
          return this.#writeText(block.text, this.#ownData(block));
        case 'thinking':
          return this.#writeThinking(block.text, this.#ownData(block));
        case 'tool-use':
          return [this.#writeCall(block)];
        case 'image':
          this.#made.push(block);
          return [];
      }
    });
    this.#push('assistant', written);
  }

  #addResult(message: ToolMessage): void {
    const native = this.#nativeResult(message);
    const caller = this.#messages.findLast(({ role }) => role === 'assistant');
    const id = this.#ids.answer(message.tool_call_id);
    if (id === undefined || caller === undefined) return;
    if (native !== undefined) caller.blocks.push({ json: wellFormedJson(JSON.stringify(native)) });
    else this.#push('user', [this.#writeResult(message, id)]);
  }

  #push(role: NativeMessage['role'], blocks: NativeBlock[]): void {
    const last = this.#messages.at(-1);
    if (blocks.length === 0) return;
    if (last?.role === role) last.blocks.push(...blocks);
    else this.#messages.push({ role, blocks });
  }

  #writeText(text: string, own?: PlainObject): NativeBlock[] {
    return isBlank(text) ? [] : [textBlock(text, own?.citations)];
  }

  #writeThinking(text: string, own: PlainObject | undefined): NativeBlock[] {
    const { signature, redactedData: data } = own ?? {};
    if (typeof signature === 'string' && signature !== '') {
      return [{ json: write({ type: 'thinking', thinking: text, signature }), isThinking: true }];
    }
    if (typeof data === 'string') return [{ json: write({ type: 'redacted_thinking', data }), isThinking: true }];
    this.#leftOut.push({ what: 'thinking', why: 'It has no signature, and is not accepted without.' });
    return [];
  }

  #writeCall(block: ToolUseBlock): NativeBlock {
    const own = this.#ownData(block);
    const input = argumentsJson(block);
    const id = this.#ids.call(block.id);
    if (block.executed === 'provider' && own?.native !== undefined && this.#isNative(block)) {
      const { input: _input, ...native } = isPlainObject(own.native) ? own.native : {};
      return { json: withField(write(native), 'input', input) };
    }
    this.#calledTools.add(block.name);
    const caller = isPlainObject(own?.caller) ? { caller: own.caller } : {};
    return {
      json: withField(
        write({ type: 'tool_use', id, name: this.#scope.names.toWire(block.name), ...caller }),
        'input',
        input,
      ),
      isCall: true,
    };
  }

  /** Returns true if a call's result is Anthropic's own, or still to come. */
  #isNative({ id }: ToolUseBlock): boolean {
    const result = this.#results.get(id);
    return result === undefined ? this.#scope.isPaused : this.#nativeResult(result) !== undefined;
  }

  #writeResult(message: ToolMessage, id: string): NativeBlock {
    const isError = message.is_error === true;
    const content = blocksShownToModel(message).flatMap((block): string[] => {
      // An error result may hold only texts.
      if (block.type === 'image') return [(isError ? this.#leaveOutFile(block) : this.#writeFile(block)).json];
      return block.type === 'text' ? this.#writeText(block.text).map(({ json }) => json) : [];
    });
    if (isError && content.length === 0) content.push(textBlock('The tool failed and said nothing.').json);
    const result = write({ type: 'tool_result', tool_use_id: id, ...(isError ? { is_error: true } : {}) });
    return { json: content.length === 0 ? result : withField(result, 'content', `[${content.join(',')}]`) };
  }

  #writeFile(block: ImageBlock): NativeBlock {
    const tooLarge = this.#scope.tooLarge.get(placeOf(block));
    if (tooLarge !== undefined) return this.#nameFile(`${describeFile(block)} ${tooLarge}. It was left out.`);
    const written = fileBlock(block, this.#scope.files);
    if (written !== undefined) return { json: write(written) };
    return this.#nameFile(`${describeFile(block)} is not a file that this model can take.`);
  }

  #leaveOutFile(block: ImageBlock): NativeBlock {
    return this.#nameFile(`${describeFile(block)} came with an error, and only texts can.`);
  }

  #nameFile(why: string): NativeBlock {
    this.#leftOut.push({ what: 'file', why });
    return textBlock(`(${why})`);
  }

  /** Returns the original block of the result of a tool that Anthropic ran itself. */
  #nativeResult(message: ToolMessage | undefined): PlainObject | undefined {
    const result = this.#ownData(message?.content[0])?.result;
    return isPlainObject(result) ? result : undefined;
  }

  #ownData(block: { provider?: PlainObject } | undefined): PlainObject | undefined {
    const own = block?.provider?.anthropic;
    return isPlainObject(own) ? own : undefined;
  }
}

function textBlock(text: string, citations?: unknown): NativeBlock {
  const clean = text.toWellFormed();
  return {
    json: write({ type: 'text', text: clean, ...(Array.isArray(citations) ? { citations } : {}) }),
    text: clean,
  };
}

function write(value: unknown): string {
  return wellFormedJson(JSON.stringify(value));
}

/** Returns an object's JSON with one more field at its end, whose JSON is given. */
function withField(json: string, name: string, value: string): string {
  return `${json.slice(0, -1)},"${name}":${value}}`;
}

function withoutLastThinking(message: NativeMessage): NativeMessage[] {
  if (message.role === 'user') return [message];
  const last = message.blocks.findLastIndex(({ isThinking }) => isThinking !== true);
  return last === -1 ? [] : [{ ...message, blocks: message.blocks.slice(0, last + 1) }];
}

/** Moves calls to the end of an answer: text after one is refused as if its result were missing. */
function withCallsLast(message: NativeMessage): NativeMessage {
  const first = message.blocks.findIndex(({ isCall }) => isCall === true);
  const isInOrder = first === -1 || message.blocks.slice(first).every(({ text }) => text === undefined);
  if (isInOrder) return message;
  const calls = message.blocks.filter(({ isCall }) => isCall === true);
  return { ...message, blocks: [...message.blocks.filter(({ isCall }) => isCall !== true), ...calls] };
}

/** Merges neighboring messages of one role. */
function merge(messages: readonly NativeMessage[]): NativeMessage[] {
  const merged: NativeMessage[] = [];
  for (const { role, blocks } of messages) {
    const last = merged.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else merged.push({ role, blocks: [...blocks] });
  }
  return merged;
}

function lacksThinking(messages: readonly NativeMessage[]): boolean {
  const answer = messages.findLast(({ role }) => role === 'assistant');
  const isOpen = messages.at(-1)?.blocks.some(({ json }) => json.startsWith('{"type":"tool_result"')) === true;
  return isOpen && answer?.blocks[0]?.isThinking !== true;
}

const marker = '{"type":"ephemeral"}';

function withMarker(json: string): string {
  return withField(json, 'cache_control', marker);
}

/** Returns the ends of the last two user messages: the second-last is cached by the former request, the last is for the next. */
function markedBlocks(messages: readonly NativeMessage[]): Set<NativeBlock> {
  const ends = messages.flatMap(({ role, blocks }) => (role === 'user' ? blocks.slice(-1) : []));
  return new Set(ends.slice(-2));
}
