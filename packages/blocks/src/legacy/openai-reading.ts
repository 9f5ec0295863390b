import type { AssistantBlock, ToolBlock, ToolUseBlock, UserBlock } from '../content-block.ts';
import { isAssistantBlock, isUserBlock } from '../guards.ts';
import type { Message, ToolMessage } from '../message.ts';
import { isNonEmpty } from '../values/non-empty-array.ts';
import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';
import type { CallWithoutId } from './openai-calls.ts';
import { withOpenAIData } from './openai-data.ts';
import { joinPrompts, readItem, readSystemText } from './openai-items.ts';
import type { Piece } from './openai-items.ts';
import { describeShape } from './openai-parts.ts';
import type { Result } from './openai-parts.ts';
import { refusalReason } from './openai-shapes.ts';
import { WaitingCalls } from './openai-waiting-calls.ts';

/** Something about a foreign array that its owner may want to know. Nothing is lost in either case. */
export interface ReadingNote {
  /** Index of the message in the array. */
  index: number;
  kind: 'kept-raw' | 'derived-id' | 'orphan-result' | 'unanswered-call' | 'system-data-dropped';
  /** The shape, such as `part=compaction` or `role=admin`, or the tool or id that it is about. */
  tag: string;
  /** For people: what was done, and why. */
  message: string;
}

/** A conversation read from an OpenAI-style array. `origin[i]` is the index of the array element that `messages[i]` is from. */
export interface OpenAIConversation {
  systemPrompt?: string;
  messages: Message[];
  origin: number[];
  notes: ReadingNote[];
}

/**
 * Reads a `messages` array of chat completions and of everything that looks like it: old function calls, content parts of
 * Anthropic, Gemini and Bedrock, items of the Responses API. Never throws and never drops: content without a matching block
 * is kept as `raw` and noted. System messages at the top become the prompt. Missing call ids are derived from the position,
 * so that reading the same array again gives the same conversation.
 */
export function fromOpenAIMessages(array: readonly unknown[]): OpenAIConversation {
  const conversation = new ConversationBuilder();
  const prompts: string[] = [];
  let index = 0;
  for (; index < array.length; index += 1) {
    const prompt = readSystemText(array[index]);
    if (prompt === undefined) break;
    prompts.push(prompt.text);
    if (prompt.dataDropped) conversation.note(index, 'system-data-dropped', 'system.part data');
  }
  for (; index < array.length; index += 1) conversation.add(index, array[index]);
  return conversation.finish(prompts);
}

/** Collects messages and knows which calls still wait for their results. */
class ConversationBuilder {
  readonly #messages: Message[] = [];
  readonly #origin: number[] = [];
  readonly #notes: ReadingNote[] = [];
  readonly #waiting = new WaitingCalls();
  #calls = 0;

  note(index: number, kind: ReadingNote['kind'], tag: string): void {
    this.#notes.push({ index, kind, tag, message: explain(kind, tag) });
  }

  add(index: number, value: unknown): void {
    const item = readItem(value);
    if (item === undefined) return this.#keepWhole(index, value, describeRole(value));
    if (item.pieces.length === 0) return this.#keepWhole(index, value, `${item.role}.content=empty`);
    let { extra } = item;
    let run: Piece[] = [];
    const flush = (): void => {
      if (run.length === 0) return;
      const message = item.role === 'user' ? this.#userMessage(index, run) : this.#assistantMessage(index, run);
      if (message) this.#push(index, withMessageData(message, extra));
      extra = {};
      run = [];
    };
    for (const piece of item.pieces) {
      if (piece.kind !== 'result') {
        run.push(piece);
        continue;
      }
      flush();
      this.#push(index, withMessageData(this.#toolMessage(index, piece.result), extra));
      extra = {};
    }
    flush();
  }

  finish(prompts: readonly string[]): OpenAIConversation {
    for (const { call, index } of this.#waiting.unanswered()) this.note(index, 'unanswered-call', call.name);
    const conversation = { messages: this.#messages, origin: this.#origin, notes: this.#notes };
    return prompts.length === 0 ? conversation : { systemPrompt: joinPrompts(prompts), ...conversation };
  }

  #push(index: number, message: Message): void {
    this.#messages.push(message);
    this.#origin.push(index);
  }

  /** Keeps a message without a matching block: on the person's side, since no model said it in a way that Loom knows. */
  #keepWhole(index: number, value: unknown, tag: string): void {
    this.note(index, 'kept-raw', tag);
    this.#push(index, { role: 'user', content: [{ type: 'raw', source: 'openai', value: value ?? null }] });
  }

  #userMessage(index: number, pieces: readonly Piece[]): Message | undefined {
    const content = pieces.flatMap((piece): UserBlock[] => {
      if (piece.kind === 'block' && isUserBlock(piece.block)) return [piece.block];
      return [this.#raw(index, piece, 'user')];
    });
    return isNonEmpty(content) ? { role: 'user', content } : undefined;
  }

  #assistantMessage(index: number, pieces: readonly Piece[]): Message | undefined {
    const content = pieces.flatMap((piece): AssistantBlock[] => {
      if (piece.kind === 'call') return [this.#call(index, piece.call)];
      if (piece.kind === 'block' && isAssistantBlock(piece.block)) return [piece.block];
      return [this.#raw(index, piece, 'assistant')];
    });
    return isNonEmpty(content) ? { role: 'assistant', content } : undefined;
  }

  #raw(index: number, piece: Piece, role: string): { type: 'raw'; source: string; value: unknown } {
    switch (piece.kind) {
      case 'refused':
        this.note(index, 'kept-raw', piece.tag);
        return { type: 'raw', source: 'openai', value: piece.part ?? null };
      case 'block':
        this.note(index, 'kept-raw', `${role}.part=${piece.block.type}`);
        return { type: 'raw', source: 'loom', value: piece.block };
      case 'call':
        this.note(index, 'kept-raw', `${role}.part=tool-use`);
        return { type: 'raw', source: 'loom', value: piece.call };
      case 'result':
        return { type: 'raw', source: 'loom', value: piece.result };
    }
  }

  #call(index: number, call: CallWithoutId): ToolUseBlock {
    this.#calls += 1;
    const { type, id = `call_${this.#calls}_of_import`, ...rest } = call;
    if (call.id === undefined) this.note(index, 'derived-id', call.name);
    const identified: ToolUseBlock = { type, id, ...rest };
    this.#waiting.add(identified, index);
    return identified;
  }

  #toolMessage(index: number, result: Result): ToolMessage {
    for (const tag of result.refused) this.note(index, 'kept-raw', tag);
    const id = this.#answer(index, result);
    const { content, name, isError, extra } = result;
    const data = name === undefined ? extra : { ...extra, name };
    const message: ToolMessage = { role: 'tool', content, tool_call_id: id, ...(isError ? { is_error: true } : {}) };
    return withMessageData(message, data);
  }

  /** The id of the call that a result answers; one that answers none keeps its own or gets a derived one. */
  #answer(index: number, result: Result): string {
    const answered = this.#waiting.answer(result);
    if (answered) {
      if (result.id === undefined) this.note(index, 'derived-id', answered.call.name);
      return answered.call.id;
    }
    this.note(index, 'orphan-result', result.name ?? result.id ?? 'tool_call_id missing');
    this.#calls += 1;
    return result.id ?? `call_${this.#calls}_of_import`;
  }
}

/** Keeps the fields of the foreign message in its first block; a tool message without blocks gets a raw one for them. */
function withMessageData<M extends Message>(message: M, extra: PlainObject): M;
function withMessageData(message: Message, extra: PlainObject): Message {
  const holder: ToolBlock = { type: 'raw', source: 'openai-message', value: null };
  switch (message.role) {
    case 'user': {
      const [first, ...rest] = message.content;
      return { ...message, content: [withOpenAIData(first, 'message', extra), ...rest] };
    }
    case 'assistant': {
      const [first, ...rest] = message.content;
      return { ...message, content: [withOpenAIData(first, 'message', extra), ...rest] };
    }
    case 'tool': {
      const [first = holder, ...rest] = message.content;
      const kept = withOpenAIData(first, 'message', extra);
      return kept === holder ? message : { ...message, content: [kept, ...rest] };
    }
  }
}

function explain(kind: ReadingNote['kind'], tag: string): string {
  switch (kind) {
    case 'kept-raw':
      return `kept as it is (${tag}): ${refusalReason(tag) ?? 'Loom has not met this shape yet'}`;
    case 'derived-id':
      return `a call or result of ${tag} has no id; one was derived from its position`;
    case 'orphan-result':
      return `the result ${tag} answers no earlier call`;
    case 'unanswered-call':
      return `the call of ${tag} has no result`;
    case 'system-data-dropped':
      return 'the prompt is text: cache markers and other data of its parts were left out';
  }
}

function describeRole(value: unknown): string {
  return isPlainObject(value) ? `role=${describeShape(value['role'])}` : `message=${typeof value}`;
}
