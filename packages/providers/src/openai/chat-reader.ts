import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { z } from 'zod';
import type { RawReader, StreamPart } from '../api/api.ts';
import { count } from '../api/answer/usage.ts';
import { streamError } from './stream-errors.ts';
import { ThinkTags } from './think-tags.ts';
import type { Piece } from './think-tags.ts';

/** JSON values of the wire, in the SDK's types. */
const jsonList = z.array(z.json());

export interface ChatReaderOptions {
  /** The name under which blocks keep the data that this server wants back. */
  provider: string;
  /** True if an answer may begin with its thoughts between tags. */
  hasThinkTags: boolean;
}

/** A call that is being written. */
interface OpenCall {
  id: string;
  name: string;
  /** The arguments so far; emitted once the name is known. */
  arguments: string;
  given: string | undefined;
}

/**
 * Reads the chunks of chat completions, as all kinds of servers send them: `null` or nothing everywhere, calls without ids or with one index for all,
 * thoughts under several names. The SDK refuses some of that and invents random ids, so its parts are not used.
 */
export function createChatReader({ provider, hasThinkTags }: ChatReaderOptions): RawReader {
  const calls: OpenCall[] = [];
  const byIndex = new Map<number, OpenCall>();
  const tags = hasThinkTags ? new ThinkTags() : undefined;
  let details: PlainObject[] = [];
  let open: { type: 'text' | 'reasoning'; id: string } | undefined;
  let blocks = 0;

  const close = (): StreamPart[] => {
    if (open === undefined) return [];
    const { type, id } = open;
    open = undefined;
    if (type === 'text') return [{ type: 'text-end', id }];
    const kept =
      details.length === 0 ? {} : { providerMetadata: { [provider]: { reasoning_details: jsonList.parse(details) } } };
    details = [];
    return [{ type: 'reasoning-end', id, ...kept }];
  };

  const say = (type: 'text' | 'reasoning', delta: string): StreamPart[] => {
    const parts: StreamPart[] = [];
    if (open?.type !== type) {
      parts.push(...close());
      open = { type, id: String((blocks += 1)) };
      parts.push({ type: `${type}-start`, id: open.id });
    }
    return delta === '' ? parts : [...parts, { type: `${type}-delta`, id: open.id, delta }];
  };

  const call = (given: PlainObject, chunk: PlainObject): StreamPart[] => {
    const { index, id } = given;
    const called = isPlainObject(given.function) ? given.function : {};
    const piece = typeof called.arguments === 'string' ? called.arguments : jsonOf(called.arguments);
    const name = typeof called.name === 'string' ? called.name : '';
    let known =
      typeof index === 'number' ? byIndex.get(index) : calls.findLast((one) => !isFilled(id) || one.given === id);
    // Some servers give every call the index 0, or none.
    if (known !== undefined && isFilled(id) && known.given !== undefined && known.given !== id) known = undefined;
    if (known !== undefined && typeof index !== 'number' && !isFilled(id) && name !== '') known = undefined;
    if (known !== undefined) {
      known.arguments += piece;
      if (known.name !== '') return piece === '' ? [] : [{ type: 'tool-input-delta', id: known.id, delta: piece }];
      known.name = name;
      return name === '' ? [] : begin(known);
    }
    const isFree = isFilled(id) && calls.every((one) => one.id !== id);
    const made: OpenCall = {
      id: isFree ? id : inventId(chunk.id, calls.length),
      name,
      arguments: piece,
      given: isFilled(id) ? id : undefined,
    };
    calls.push(made);
    if (typeof index === 'number') byIndex.set(index, made);
    return name === '' ? [] : begin(made);
  };

  const finish = (): StreamPart[] => {
    const ended = calls.splice(0).flatMap(({ id, name, arguments: input }): StreamPart[] => {
      return name === '' ? [] : [{ type: 'tool-call', toolCallId: id, toolName: name, input }];
    });
    byIndex.clear();
    const rest = (tags?.end() ?? []).flatMap(({ type, text }) => say(type, text));
    return [...rest, ...close(), ...ended];
  };

  const readDelta = (delta: PlainObject, chunk: PlainObject): StreamPart[] => {
    const parts: StreamPart[] = [];
    const more = listOf(delta.reasoning_details);
    const thought = [delta.reasoning_content, delta.reasoning].find(isFilled) ?? textOfDetails(more);
    if (isFilled(thought) || more.length > 0) parts.push(...say('reasoning', thought));
    details.push(...more);
    for (const { type, text } of readContent(delta.content)) {
      const split = type === 'text' && tags !== undefined ? tags.take(text) : [{ type, text }];
      for (const piece of split) parts.push(...say(piece.type, piece.text));
    }
    if (isFilled(delta.refusal)) parts.push(...say('text', delta.refusal));
    for (const one of listOf(delta.tool_calls)) {
      if (open?.type === 'reasoning') parts.push(...close());
      parts.push(...call(one, chunk));
    }
    return [...parts, ...picturesOf(delta.images), ...sourcesOf(delta.annotations)];
  };

  return (chunk) => {
    if (!isPlainObject(chunk)) return undefined;
    if (chunk.error) return [streamError(chunk.error)];
    const choices = listOf(chunk.choices);
    const [choice] = choices;
    const report = usageIn(chunk);
    const used = report === undefined ? [] : [{ type: 'usage' as const, usage: readChatUsage(report) }];
    if (choice === undefined)
      return Array.isArray(chunk.choices) || used.length > 0 ? used : [{ type: 'raw', rawValue: chunk }];
    const said = isPlainObject(choice.delta) ? readDelta(choice.delta, chunk) : [];
    return [...said, ...(isFilled(choice.finish_reason) ? finish() : []), ...used];
  };
}

function begin({ id, name, arguments: delta }: OpenCall): StreamPart[] {
  const start: StreamPart = { type: 'tool-input-start', id, toolName: name };
  return delta === '' ? [start] : [start, { type: 'tool-input-delta', id, delta }];
}

/** Returns a derived id: the same stream gives the same ids, and another answer gives others. */
function inventId(answer: unknown, index: number): string {
  const name = typeof answer === 'string' ? answer.replaceAll(/[^A-Za-z0-9]/g, '').slice(-24) : '';
  return `call_${name}${name === '' ? '' : '_'}${index + 1}`;
}

/** Reads content: text, or a list of parts. Mistral sends thoughts as parts. */
function readContent(content: unknown): Piece[] {
  if (isFilled(content)) return [{ type: 'text', text: content }];
  return listOf(content).flatMap(({ type, text, thinking }): Piece[] => {
    if (type === 'text' && isFilled(text)) return [{ type: 'text', text }];
    if (type !== 'thinking') return [];
    const thought = isFilled(thinking)
      ? thinking
      : listOf(thinking)
          .map((part) => stringOf(part.text))
          .join('');
    return thought === '' ? [] : [{ type: 'reasoning', text: thought }];
  });
}

function textOfDetails(details: readonly PlainObject[]): string {
  return details.map(({ text, summary }) => stringOf(text ?? summary)).join('');
}

function picturesOf(images: unknown): StreamPart[] {
  return listOf(images).flatMap(({ image_url: image }): StreamPart[] => {
    const url = isPlainObject(image) ? stringOf(image.url) : '';
    const [, mediaType, data] = /^data:([^;,]+);base64,(.*)$/s.exec(url) ?? [];
    return mediaType === undefined || data === undefined
      ? []
      : [{ type: 'file', mediaType, data: { type: 'data', data } }];
  });
}

function sourcesOf(annotations: unknown): StreamPart[] {
  return listOf(annotations).flatMap(({ url_citation: citation }): StreamPart[] => {
    if (!isPlainObject(citation) || !isFilled(citation.url)) return [];
    const title = isFilled(citation.title) ? { title: citation.title } : {};
    return [{ type: 'source', sourceType: 'url', id: '', url: citation.url, ...title }];
  });
}

/** Groq reports the usage of a stream under a different name: https://console.groq.com/docs/api-reference#chat */
function usageIn({ usage, x_groq: groq }: PlainObject): PlainObject | undefined {
  if (isPlainObject(usage)) return usage;
  return isPlainObject(groq) && isPlainObject(groq.usage) ? groq.usage : undefined;
}

/** OpenRouter reports the cost of the call, in dollars. */
function readChatUsage(usage: PlainObject): Extract<StreamPart, { type: 'usage' }>['usage'] {
  const prompt = isPlainObject(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const completion = isPlainObject(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  const [cached, written] = [count(prompt.cached_tokens), count(prompt.cache_write_tokens)];
  const reasoning = count(completion.reasoning_tokens);
  return {
    input_tokens: count(usage.prompt_tokens),
    output_tokens: count(usage.completion_tokens),
    ...(cached > 0 ? { cached_input_tokens: cached } : {}),
    ...(written > 0 ? { cache_write_tokens: written } : {}),
    ...(reasoning > 0 ? { reasoning_tokens: reasoning } : {}),
    ...(typeof usage.cost === 'number' ? { cost_usd: count(usage.cost) } : {}),
  };
}

function isFilled(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function stringOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function jsonOf(value: unknown): string {
  return isPlainObject(value) ? JSON.stringify(value) : '';
}

function listOf(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
