import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { WireName } from './recording.ts';

/**
 * A part of a recorded stream that a person sees or a tool gets. Texts and thoughts come in pieces; a `value` (a name, an address, a title, an
 * output) and the arguments of a call are whole.
 */
export interface Visible {
  kind: 'text' | 'thinking' | 'arguments' | 'value';
  value: string;
}

/** Everything visible in the events of a stream, read without any SDK. */
export function visibleIn(wire: WireName, events: readonly unknown[]): Visible[] {
  const objects = events.filter(isPlainObject);
  switch (wire) {
    case 'google':
      return objects.flatMap(inChunk);
    case 'anthropic':
      return inMessage(objects);
    case 'openai-responses':
      return inResponse(objects);
    case 'openai-chat':
      return inCompletion(objects);
  }
}

function inChunk({ candidates }: PlainObject): Visible[] {
  return listOf(candidates).flatMap(
    ({ content, groundingMetadata, urlContextMetadata, finishReason, finishMessage }) => [
      ...listOf(objectOf(content).parts).flatMap(inPart),
      ...listOf(objectOf(groundingMetadata).groundingChunks).flatMap((chunk) =>
        Object.values(chunk).flatMap((page) => values(objectOf(page), ['uri', 'title'])),
      ),
      ...listOf(objectOf(urlContextMetadata).urlMetadata).flatMap((page) => values(page, ['retrievedUrl'])),
      ...(finishReason === 'STOP' ? [] : values({ finishMessage }, ['finishMessage'])),
    ],
  );
}

function inPart(part: PlainObject): Visible[] {
  const { text, thought, functionCall, executableCode, codeExecutionResult } = part;
  const { name, args, partialArgs } = objectOf(functionCall);
  return [
    ...(typeof text === 'string' ? [{ kind: thought === true ? 'thinking' : 'text', value: text } as const] : []),
    ...values({ name }, ['name']),
    ...(isPlainObject(args) ? [{ kind: 'arguments', value: JSON.stringify(args) } as const] : []),
    ...listOf(partialArgs).flatMap((piece) => values(piece, ['stringValue'])),
    ...values(objectOf(executableCode), ['code']),
    ...values(objectOf(codeExecutionResult), ['output']),
  ];
}

function inMessage(events: readonly PlainObject[]): Visible[] {
  const inputs = new Map<unknown, string>();
  const found = events.flatMap((event): Visible[] => {
    const { type, index, content_block: block, delta: change, message } = event;
    if (type === 'message_start') return listOf(objectOf(message).content).flatMap(inBlock);
    if (type === 'content_block_start') return inBlock(objectOf(block));
    const delta = objectOf(change);
    if (typeof delta.partial_json === 'string') inputs.set(index, (inputs.get(index) ?? '') + delta.partial_json);
    return [
      ...pieces('text', delta.text),
      ...pieces('thinking', delta.thinking),
      ...values(objectOf(delta.citation), ['url', 'title', 'document_title']),
    ];
  });
  return [...found, ...[...inputs.values()].map((value): Visible => ({ kind: 'arguments', value }))];
}

function inBlock(block: PlainObject): Visible[] {
  const { type, text, thinking, name, content } = block;
  if (type === 'text') return pieces('text', text);
  if (type === 'thinking') return pieces('thinking', thinking);
  const results = [content].flat().filter(isPlainObject);
  return [
    ...values({ name }, ['name']),
    ...results.flatMap((result) => values(result, ['url', 'title', 'text', 'stdout', 'stderr', 'error_code'])),
  ];
}

function inResponse(events: readonly PlainObject[]): Visible[] {
  const streamed = new Set(
    events.flatMap(({ type, output_index: place }) => (String(type).endsWith('.delta') ? [place] : [])),
  );
  return events.flatMap((event): Visible[] => {
    const { type, delta, item, annotation } = event;
    switch (type) {
      case 'response.output_text.delta':
      case 'response.refusal.delta':
        return pieces('text', delta);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return pieces('thinking', delta);
      case 'response.output_text.annotation.added':
        return values(objectOf(annotation), ['url', 'title', 'filename']);
      case 'response.output_item.done':
        return inItem(objectOf(item), streamed.has(event.output_index));
      default:
        return [];
    }
  });
}

function inItem(item: PlainObject, isStreamed: boolean): Visible[] {
  const { type, name, arguments: args, content, action } = item;
  if (type === 'message') {
    const texts = listOf(content).flatMap(({ text, refusal }) => [...pieces('text', text), ...pieces('text', refusal)]);
    return isStreamed ? [] : texts;
  }
  const pages = listOf(objectOf(action).sources).flatMap((page) => values(page, ['url']));
  return [
    ...values({ name }, ['name']),
    ...(typeof args === 'string' && args !== '' ? [{ kind: 'arguments', value: args } as const] : []),
    ...(typeof item.input === 'string' ? [{ kind: 'arguments', value: item.input } as const] : []),
    ...values(item, ['code', 'output', 'error']),
    ...values(objectOf(action), ['query', 'url', 'command']),
    ...listOf(item.outputs).flatMap((output) => values(output, ['logs'])),
    ...pages,
  ];
}

function inCompletion(events: readonly PlainObject[]): Visible[] {
  const inputs = new Map<string, string>();
  const found = events.flatMap(({ choices }) =>
    listOf(choices).flatMap(({ index, delta: change }): Visible[] => {
      const delta = objectOf(change);
      const names = listOf(delta.tool_calls).flatMap((call) => {
        const { name, arguments: args } = objectOf(call.function);
        const key = `${String(index)} ${String(call.index)}`;
        if (typeof args === 'string') inputs.set(key, (inputs.get(key) ?? '') + args);
        return values({ name }, ['name']);
      });
      const thought = [delta.reasoning_content, delta.reasoning].find((value) => typeof value === 'string');
      return [
        ...pieces('thinking', thought),
        ...inContent(delta.content),
        ...pieces('text', delta.refusal),
        ...names,
        ...listOf(delta.annotations).flatMap((note) => values(objectOf(note.url_citation), ['url', 'title'])),
      ];
    }),
  );
  return [...found, ...[...inputs.values()].map((value): Visible => ({ kind: 'arguments', value }))];
}

/** Reads content: a text, with thoughts between tags if a server leaves them in, or a list of parts. */
function inContent(content: unknown): Visible[] {
  const [, thought, rest = ''] = /^<think>([\s\S]*?)(?:<\/think>([\s\S]*))?$/.exec(String(content)) ?? [];
  if (thought !== undefined) return [...pieces('thinking', thought.trim()), ...pieces('text', rest.trim())];
  return [
    ...pieces('text', content),
    ...listOf(content).flatMap((part) => [
      ...(part.type === 'text' ? pieces('text', part.text) : []),
      ...listOf(part.thinking).flatMap(({ text }) => pieces('thinking', text)),
    ]),
  ];
}

function pieces(kind: 'text' | 'thinking', value: unknown): Visible[] {
  return typeof value === 'string' && value !== '' ? [{ kind, value }] : [];
}

function values(object: PlainObject, names: readonly string[]): Visible[] {
  return names.flatMap((name): Visible[] => {
    const value = object[name];
    return typeof value === 'string' && value !== '' ? [{ kind: 'value', value }] : [];
  });
}

function objectOf(value: unknown): PlainObject {
  return isPlainObject(value) ? value : {};
}

function listOf(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
