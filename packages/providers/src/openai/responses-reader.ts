import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { z } from 'zod';
import type { ProviderResult, RawReader, StreamPart } from '../api/api.ts';
import { streamError } from './stream-errors.ts';

/** A value of the wire, which is JSON, as the SDK's types have it. */
const jsonObject = z.record(z.string(), z.json());

/**
 * Reads what the SDK changes or drops: the tools that OpenAI runs itself, which must go back as they came; pictures; reasoning that comes
 * as plain text; and events that the SDK does not know.
 */
export function createResponsesReader(): RawReader {
  /** The reasoning that led to what comes next. */
  let reasoning: string | undefined;

  const begin = (item: PlainObject): StreamPart[] | undefined => {
    if (item.type === 'reasoning' && typeof item.id === 'string') reasoning = item.id;
    const call = nativeCall(item);
    return call === undefined ? undefined : [{ type: 'tool-input-start', ...call, providerExecuted: true }];
  };

  const end = (item: PlainObject): StreamPart[] | undefined => {
    const call = nativeCall(item);
    if (call === undefined) return knownItems.has(item.type) ? undefined : [{ type: 'raw', rawValue: item }];
    const { id: toolCallId, toolName } = call;
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
  };

  return (event) => {
    if (!isPlainObject(event) || typeof event.type !== 'string') return undefined;
    const { type, item } = event;
    if (type === 'response.output_item.added') return isPlainObject(item) ? begin(item) : undefined;
    if (type === 'response.output_item.done') return isPlainObject(item) ? end(item) : undefined;
    if (type === 'response.reasoning_text.delta' && typeof event.delta === 'string') {
      return [{ type: 'reasoning-delta', id: `${String(event.item_id)}:0`, delta: event.delta }];
    }
    if (type === 'response.output_text.annotation.added') return citedPage(event.annotation);
    if (type === 'error') return [streamError(isPlainObject(event.error) ? event.error : event)];
    if (type === 'response.failed' && isPlainObject(event.response) && event.response.error) {
      return [streamError(event.response.error)];
    }
    // What a native call is doing is told when it is done.
    if (nativeEvents.test(type)) return [];
    return knownEvents.test(type) ? undefined : [{ type: 'raw', rawValue: event }];
  };
}

/** What a person and other models read of what OpenAI ran itself. */
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

/** Items that the SDK makes calls, results, text and thoughts of. Nothing in Loom stands for others: they are kept, and not sent back. */
const knownItems: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  'computer_call',
  'local_shell_call',
  'shell_call',
  'shell_call_output',
  'apply_patch_call',
  'tool_search_call',
  'tool_search_output',
  'program',
  'program_output',
]);

const nativeEvents =
  /^response\.(web_search_call|file_search_call|code_interpreter_call|code_interpreter_call_code|image_generation_call|mcp_call|mcp_call_arguments|mcp_list_tools)\.|^keepalive$/;

const knownEvents =
  /^response\.(created|queued|in_progress|completed|incomplete|failed|output_item|content_part|output_text|refusal|function_call_arguments|custom_tool_call_input|reasoning_summary_part|reasoning_summary_text|reasoning_text|apply_patch_call_operation_diff)\b/;

/** The call of a tool that OpenAI runs itself. */
function nativeCall({ type, id, name }: PlainObject): { id: string; toolName: string } | undefined {
  if (typeof type !== 'string' || typeof id !== 'string') return undefined;
  const toolName = type === 'mcp_call' ? name : nativeNames[type];
  return typeof toolName === 'string' ? { id, toolName } : undefined;
}

/** What the call was asked for, as the JSON of an object. */
function argumentsOf(item: PlainObject): string {
  // Other servers spell them as they do for every call.
  if (typeof item.arguments === 'string') return item.arguments;
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

/** The page that a text rests on. The SDK reads it only where its place in the text is told as well. */
function citedPage(annotation: unknown): StreamPart[] | undefined {
  if (!isPlainObject(annotation) || annotation.type !== 'url_citation') return undefined;
  const { url, title } = annotation;
  if (typeof url !== 'string') return undefined;
  return [{ type: 'source', sourceType: 'url', id: '', url, ...(typeof title === 'string' ? { title } : {}) }];
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
