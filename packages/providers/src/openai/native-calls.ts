import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { z } from 'zod';
import type { ProviderResult, StreamPart } from '../api/api.ts';

/** A JSON value of the wire, in the SDK's type. */
const jsonObject = z.record(z.string(), z.json());

/** Returns the events of a call that OpenAI has run itself, once it is done; `reasoning` is the item that led to it. */
export function endNativeCall(
  item: PlainObject,
  { id: toolCallId, toolName }: NativeCall,
  reasoning: string | undefined,
): StreamPart[] {
  const { result: picture, ...rest } = item;
  const isPicture = item.type === 'image_generation_call';
  const native = jsonObject.parse(isPicture ? rest : item);
  const after = reasoning === undefined ? {} : { providerMetadata: { openai: { reasoning } } };
  return [
    { type: 'tool-call', toolCallId, toolName, input: argumentsOf(item), providerExecuted: true },
    { type: 'tool-result', toolCallId, toolName, result: native, isError: isFailed(item), ...after },
    ...sourcesOf(item),
    ...(isPicture && typeof picture === 'string' ? [madePicture(item, picture)] : []),
  ];
}

/** Returns the text, for people and other models, of a call that OpenAI ran itself. */
export function describeNative({ result }: Pick<ProviderResult, 'result'>): string {
  if (!isPlainObject(result)) return JSON.stringify(result);
  switch (result.type) {
    case 'web_search_call':
      return [describeAction(result.action), ...urlsOf(result).map((url) => `- ${url}`)].join('\n');
    case 'file_search_call':
      return listOf(result.results)
        .map(({ filename, text }) => `${String(filename)}:\n${String(text)}`)
        .join('\n\n');
    case 'code_interpreter_call':
      return listOf(result.outputs)
        .map(({ logs, url }) => String(logs ?? url))
        .join('\n');
    case 'image_generation_call':
      return typeof result.revised_prompt === 'string'
        ? `A picture was made: ${result.revised_prompt}`
        : 'A picture was made.';
    case 'mcp_call':
      return typeof result.output === 'string' ? result.output : JSON.stringify(result.error ?? null);
    default:
      return JSON.stringify(result);
  }
}

const nativeNames: Readonly<Record<string, string>> = {
  web_search_call: 'web_search',
  file_search_call: 'file_search',
  code_interpreter_call: 'code_interpreter',
  image_generation_call: 'image_generation',
};

export interface NativeCall {
  id: string;
  toolName: string;
}

/** Returns the call of a tool that OpenAI runs itself, if an item is one. */
export function nativeCall({ type, id, name }: PlainObject): NativeCall | undefined {
  if (typeof type !== 'string' || typeof id !== 'string') return undefined;
  const toolName = type === 'mcp_call' ? name : nativeNames[type];
  return typeof toolName === 'string' ? { id, toolName } : undefined;
}

/** Returns the input of the call, as the JSON of an object. */
function argumentsOf(item: PlainObject): string {
  if (typeof item.arguments === 'string' && item.arguments !== '') return item.arguments;
  switch (item.type) {
    case 'web_search_call': {
      const { sources: _sources, ...action } = isPlainObject(item.action) ? item.action : {};
      return JSON.stringify(action);
    }
    case 'file_search_call':
      return JSON.stringify({ queries: item.queries ?? [] });
    case 'code_interpreter_call':
      return JSON.stringify({ code: item.code ?? '' });
    default:
      return '{}';
  }
}

function isFailed({ status, error }: PlainObject): boolean {
  return status === 'failed' || (error !== undefined && error !== null);
}

function sourcesOf(item: PlainObject): StreamPart[] {
  return urlsOf(item).map((url) => ({ type: 'source', sourceType: 'url', id: '', url }));
}

function urlsOf({ action }: PlainObject): string[] {
  const sources = isPlainObject(action) ? listOf(action.sources) : [];
  return sources.flatMap(({ url }) => (typeof url === 'string' ? [url] : []));
}

function describeAction(action: unknown): string {
  if (!isPlainObject(action)) return 'A search was made.';
  const words = [action.query, action.pattern, action.url].filter((word) => typeof word === 'string');
  return `Searched: ${words.join(', ')}`;
}

function madePicture(item: PlainObject, picture: string): StreamPart {
  const format = typeof item.output_format === 'string' ? item.output_format : 'png';
  return {
    type: 'file',
    mediaType: `image/${format}`,
    data: { type: 'data', data: picture },
    providerMetadata: { openai: { itemId: String(item.id) } },
  };
}

function listOf(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
