import { isPlainObject } from '../values/plain-object.ts';
import type { PlainObject } from '../values/plain-object.ts';
import { readFunctionCall, readToolCall } from './openai-calls.ts';
import { arrayKey, isVoid, unfoldExtra } from './openai-data.ts';
import { makeResult, makeText, makeThinking, readPart } from './openai-parts.ts';
import type { PartReading } from './openai-parts.ts';

/** One piece of a foreign message, in order. */
export type Piece = PartReading;

/** A foreign message taken apart: its speaker, its content, and the fields that Loom has no word for. */
export interface Item {
  role: 'user' | 'assistant';
  pieces: Piece[];
  extra: PlainObject;
}

/** Takes one array element apart; `undefined` if its speaker is unknown. */
export function readItem(value: unknown): Item | undefined {
  if (!isPlainObject(value)) return undefined;
  const ofResponses = readResponsesItem(value);
  if (ofResponses) return ofResponses;
  const role = typeof value['role'] === 'string' ? roles.get(value['role'].toLowerCase()) : undefined;
  if (role === undefined) return undefined;
  if (role === 'tool') return readToolItem(value);
  const item = role === 'assistant' ? readAssistant(value) : readUser(value);
  return { ...item, extra: unfoldExtra(item.extra) };
}

const roles = new Map<string, 'user' | 'assistant' | 'tool'>([
  ['user', 'user'],
  ['human', 'user'],
  ['assistant', 'assistant'],
  ['model', 'assistant'],
  ['chatbot', 'assistant'],
  ['ai', 'assistant'],
  ['tool', 'tool'],
  ['function', 'tool'],
]);

/** The text of a system or developer message, if it is one and holds nothing but text. */
export function readSystemText(value: unknown): { text: string; dataDropped: boolean } | undefined {
  if (!isPlainObject(value) || typeof value['role'] !== 'string') return undefined;
  if (!systemRoles.has(value['role'].toLowerCase()) || !isVoid(value['tool_calls'])) return undefined;
  const texts: string[] = [];
  let dataDropped = false;
  for (const piece of readContent(value)) {
    if (piece.kind !== 'block' || piece.block.type !== 'text') return undefined;
    texts.push(piece.block.text);
    dataDropped ||= piece.block.provider !== undefined;
  }
  return { text: joinPrompts(texts), dataDropped };
}

/** Prompts with a blank line between them; empty ones say nothing. */
export function joinPrompts(texts: readonly string[]): string {
  return texts.filter((text) => text !== '').join('\n\n');
}

const systemRoles = new Set(['system', 'developer']);

function readUser(value: PlainObject): Item {
  const { role: _role, content: _content, parts: _parts, message: _message, type: _type, ...extra } = value;
  const pieces = readContent(value);
  if (!isVoid(extra['tool_calls'])) {
    pieces.push({ kind: 'refused', tag: 'user.tool_calls', part: { tool_calls: extra['tool_calls'] } });
  }
  delete extra['tool_calls'];
  return { role: 'user', pieces, extra };
}

function readAssistant(value: PlainObject): Item {
  const {
    role: _role,
    content: _content,
    parts: _parts,
    message: _message,
    type: _type,
    tool_calls,
    function_call,
    refusal,
    ...rest
  } = value;
  const thinking = readThinkingFields(rest);
  const pieces = [...thinking.pieces, ...readContent(value)];
  if (typeof refusal === 'string' && refusal !== '') {
    pieces.push({ kind: 'block', block: makeText(refusal, { type: 'refusal' }) });
  }
  const { images, ...extra } = thinking.rest;
  const calls = Array.isArray(tool_calls) ? tool_calls.map(readCall) : [];
  const old = readFunctionCall(function_call);
  if (old) calls.push({ kind: 'call', call: old });
  return { role: 'assistant', pieces: [...pieces, ...readImages(images), ...calls], extra };
}

function readCall(call: unknown): Piece {
  const read = readToolCall(call);
  return read ? { kind: 'call', call: read } : { kind: 'refused', tag: 'tool_call without a name', part: call };
}

/** Images that some servers put beside the content. */
function readImages(images: unknown): Piece[] {
  if (!Array.isArray(images)) return [];
  const list: readonly unknown[] = images;
  return list.map((image) => readPart(isPlainObject(image) ? { type: 'image_url', ...image } : image));
}

/**
 * Reasoning that stands beside the content: signed blocks, or a plain string under one of its two names. If both are there,
 * the string repeats the blocks; it is kept as a field unless it does so word for word.
 */
function readThinkingFields(fields: PlainObject): { pieces: Piece[]; rest: PlainObject } {
  const { thinking_blocks, ...rest } = fields;
  if (Array.isArray(thinking_blocks) && thinking_blocks.length > 0) {
    const blocks: readonly unknown[] = thinking_blocks;
    const pieces = blocks.map(readPart);
    const texts = blocks.map((block) => (isPlainObject(block) ? block['thinking'] : undefined));
    const text = texts.filter((part) => typeof part === 'string').join('');
    if (rest['reasoning_content'] === text) delete rest['reasoning_content'];
    return { pieces, rest };
  }
  for (const field of ['reasoning_content', 'reasoning']) {
    const { [field]: text, ...others } = rest;
    if (typeof text !== 'string' || text === '') continue;
    return { pieces: [{ kind: 'block', block: makeThinking(text, arrayKey, { field }) }], rest: others };
  }
  return { pieces: [], rest };
}

function readToolItem(value: PlainObject): Item {
  const { role: _role, content, tool_call_id, name, is_error, type: _type, ...rest } = value;
  const extra: PlainObject = { ...rest };
  // A field whose value cannot mean what its name says is kept like any other field.
  if (typeof tool_call_id !== 'string') extra['tool_call_id'] = tool_call_id;
  if (typeof name !== 'string') extra['name'] = name;
  if (typeof is_error !== 'boolean') extra['is_error'] = is_error;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [];
  const nested = parts.map(readPart).filter((piece) => piece.kind === 'result');
  // Anthropic's results inside a tool message name their calls themselves.
  if (nested.length > 0 && nested.length === parts.length) return { role: 'user', pieces: nested, extra };
  const result = makeResult(tool_call_id, name, content, is_error === true, extra);
  return { role: 'user', pieces: [{ kind: 'result', result }], extra: {} };
}

/** The content of a message under any of its names: `content`, Gemini's `parts`, Cohere's `message`. */
function readContent(value: PlainObject): Piece[] {
  const content = value['content'] ?? value['parts'] ?? value['message'];
  if (isVoid(content)) return [];
  if (Array.isArray(content)) return content.map(readPart);
  return [readPart(content)];
}

/** The items of the Responses API that are not messages. */
function readResponsesItem(value: PlainObject): Item | undefined {
  switch (value['type']) {
    case 'function_call': {
      const { type: _type, role: _role, id: _id, status: _status, call_id, name, arguments: given, ...extra } = value;
      const call = readFunctionCall({ call_id, name, arguments: given });
      return call && { role: 'assistant', pieces: [{ kind: 'call', call }], extra };
    }
    case 'function_call_output': {
      const { type: _type, role: _role, id: _id, status: _status, call_id, output, ...extra } = value;
      return {
        role: 'user',
        pieces: [{ kind: 'result', result: makeResult(call_id, undefined, output, false, extra) }],
        extra: {},
      };
    }
    case 'reasoning': {
      const summary: readonly unknown[] = Array.isArray(value['summary']) ? value['summary'] : [];
      const texts = summary.map((part) => (isPlainObject(part) ? part['text'] : part));
      const text = texts.filter((line) => typeof line === 'string').join('\n');
      const { type: _type, summary: _summary, ...data } = value;
      return {
        role: 'assistant',
        pieces: [{ kind: 'block', block: makeThinking(text, 'openai', { item: data }) }],
        extra: {},
      };
    }
    default:
      return undefined;
  }
}
