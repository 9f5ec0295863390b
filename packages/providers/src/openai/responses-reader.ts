import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { LanguageModelV4FinishReason, LanguageModelV4Usage } from '@ai-sdk/provider';
import type { RawReader, StreamPart } from '../api/api.ts';
import { count } from '../api/answer/usage.ts';
import { endNativeCall, nativeCall } from './native-calls.ts';
import { streamError } from './stream-errors.ts';

/** An item of the answer that is being written. */
interface OpenItem {
  id: string;
  type: unknown;
  /** True if any of it was streamed; if not, it comes whole at its end. */
  hasGrown: boolean;
  /** The number of summary parts that have begun. */
  parts: number;
}

/**
 * Reads the events of the Responses API. The SDK drops events that it does not know, refuses events that lack a field it does not need, and rewrites
 * the calls that OpenAI runs itself; so its parts are not used.
 */
export function createResponsesReader(): RawReader {
  const reader = new ResponsesReader();
  return (event) => (isPlainObject(event) && typeof event.type === 'string' ? reader.read(event) : undefined);
}

class ResponsesReader {
  readonly #items = new Map<unknown, OpenItem>();
  /** The reasoning that led to the next item. */
  #reasoning: string | undefined;
  #hasCall = false;
  #hasRefusal = false;

  read(event: PlainObject): StreamPart[] {
    const { type, delta, item, response } = event;
    switch (type) {
      case 'response.output_item.added':
        return isPlainObject(item) ? this.#begin(event, item) : [];
      case 'response.output_item.done':
        return isPlainObject(item) ? this.#end(event, item) : [];
      case 'response.refusal.delta':
        this.#hasRefusal = true;
        return this.#grow(event, 'text-delta', delta);
      case 'response.output_text.delta':
        return this.#grow(event, 'text-delta', delta);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return this.#grow(event, 'reasoning-delta', delta);
      case 'response.function_call_arguments.delta':
      case 'response.custom_tool_call_input.delta':
        return this.#grow(event, 'tool-input-delta', delta);
      case 'response.reasoning_summary_part.added':
        return this.#nextPart(event);
      case 'response.output_text.annotation.added':
        return sourceOf(event.annotation);
      case 'response.completed':
      case 'response.incomplete':
        return [this.#finish(isPlainObject(response) ? response : {})];
      case 'response.failed':
        return [streamError(isPlainObject(response) ? (response.error ?? 'It failed.') : 'It failed.')];
      case 'error':
        return [streamError(isPlainObject(event.error) ? event.error : event)];
      default:
        return idleEvents.test(String(type)) ? [] : [{ type: 'raw', rawValue: event }];
    }
  }

  #begin(event: PlainObject, item: PlainObject): StreamPart[] {
    const key = keyOf(event, item.id);
    if (this.#items.has(key)) return [];
    const native = nativeCall(item);
    const id = isCall(item) ? String(item.call_id) : `${this.#items.size}`;
    this.#items.set(key, { id, type: item.type, hasGrown: false, parts: 1 });
    if (native !== undefined) return [{ type: 'tool-input-start', ...native, providerExecuted: true }];
    switch (item.type) {
      case 'message':
        return [{ type: 'text-start', id, ...ownData(messageData(item)) }];
      case 'reasoning':
        if (typeof item.id === 'string') this.#reasoning = item.id;
        return [{ type: 'reasoning-start', id: `${id}:1`, ...ownData(reasoningData(item)) }];
      case 'function_call':
      case 'custom_tool_call':
        this.#hasCall = true;
        return [{ type: 'tool-input-start', id, toolName: String(item.name) }];
      default:
        return [];
    }
  }

  #grow(event: PlainObject, type: 'text-delta' | 'reasoning-delta' | 'tool-input-delta', delta: unknown): StreamPart[] {
    const item = this.#items.get(keyOf(event, event.item_id));
    if (item === undefined || typeof delta !== 'string') return [{ type: 'raw', rawValue: event }];
    item.hasGrown = true;
    return [{ type, id: type === 'reasoning-delta' ? `${item.id}:${item.parts}` : item.id, delta }];
  }

  /** Each part of a summary is a separate thought. */
  #nextPart(event: PlainObject): StreamPart[] {
    const item = this.#items.get(keyOf(event, event.item_id));
    if (item === undefined || Number(event.summary_index) < item.parts) return [];
    const own = ownData({ itemId: event.item_id });
    const before: StreamPart = { type: 'reasoning-end', id: `${item.id}:${item.parts}`, ...own };
    item.parts += 1;
    return [before, { type: 'reasoning-start', id: `${item.id}:${item.parts}`, ...own }];
  }

  #end(event: PlainObject, item: PlainObject): StreamPart[] {
    const begun = this.#begin(event, item);
    const native = nativeCall(item);
    if (native !== undefined) return [...begun, ...endNativeCall(item, native, this.#reasoning)];
    const open = this.#items.get(keyOf(event, item.id));
    if (open === undefined) return begun;
    const { id, hasGrown } = open;
    switch (item.type) {
      case 'message':
        return [
          ...begun,
          ...(hasGrown ? [] : this.#wholeMessage(id, item)),
          { type: 'text-end', id, ...ownData(messageData(item)) },
        ];
      case 'reasoning': {
        const thought = `${id}:${open.parts}`;
        const said = hasGrown ? [] : wholeThought(thought, item);
        return [...begun, ...said, { type: 'reasoning-end', id: thought, ...ownData(reasoningData(item)) }];
      }
      case 'function_call':
      case 'custom_tool_call':
        return [...begun, endCall(id, item)];
      default:
        return [...begun, { type: 'raw', rawValue: item }];
    }
  }

  #wholeMessage(id: string, { content }: PlainObject): StreamPart[] {
    return listOf(content).flatMap(({ text, refusal, annotations }): StreamPart[] => {
      const delta = text ?? refusal;
      if (refusal !== undefined) this.#hasRefusal = true;
      const said: StreamPart[] = typeof delta === 'string' ? [{ type: 'text-delta', id, delta }] : [];
      return [...said, ...listOf(annotations).flatMap(sourceOf)];
    });
  }

  #finish({ incomplete_details: details, usage }: PlainObject): StreamPart {
    const reason = isPlainObject(details) ? details.reason : undefined;
    return {
      type: 'finish',
      finishReason: { unified: this.#unified(reason), raw: undefined },
      usage: readUsage(usage),
    };
  }

  #unified(reason: unknown): LanguageModelV4FinishReason['unified'] {
    if (reason === 'max_output_tokens') return 'length';
    if (reason === 'content_filter') return 'content-filter';
    if (reason !== undefined && reason !== null) return 'other';
    if (this.#hasCall) return 'tool-calls';
    return this.#hasRefusal ? 'content-filter' : 'stop';
  }
}

/** Redundant events: an item is emitted by its pieces or at its end, a native call when it is done. */
const idleEvents =
  /^keepalive$|^response\.(created|queued|in_progress|content_part\.\w+|(output_text|refusal|function_call_arguments|reasoning_text|reasoning_summary_text|reasoning_summary_part)\.done|(web_search_call|file_search_call|code_interpreter_call|code_interpreter_call_code|image_generation_call|mcp_call|mcp_call_arguments|mcp_list_tools|custom_tool_call_input)\.\w+)$/;

function isCall({ type }: PlainObject): boolean {
  return type === 'function_call' || type === 'custom_tool_call';
}

/** A custom tool takes free text instead of arguments; its calls are marked, because they go back in their own form. */
function endCall(toolCallId: string, item: PlainObject): StreamPart {
  const isCustom = item.type === 'custom_tool_call';
  const given = isCustom ? item.input : item.arguments;
  // Calls without arguments are kept with `{}`; a text may be empty.
  const custom = isCustom ? { callType: item.type, ...(given === '' ? { input: given } : {}) } : {};
  const own = { itemId: item.id, namespace: item.namespace, ...custom };
  const call = { toolCallId, toolName: String(item.name), input: typeof given === 'string' ? given : '' };
  return { type: 'tool-call', ...call, ...ownData(own) };
}

/** Items are told apart by their place: some servers change their ids in every event. */
function keyOf({ output_index: index }: PlainObject, id: unknown): unknown {
  return typeof index === 'number' ? index : id;
}

function messageData({ id, phase }: PlainObject): PlainObject {
  return { itemId: id, phase };
}

function reasoningData({ id, encrypted_content: sealed }: PlainObject): PlainObject {
  return { itemId: id, reasoningEncryptedContent: sealed };
}

/** Returns the data that the block keeps for OpenAI; only strings are needed. */
function ownData(data: PlainObject): { providerMetadata?: { openai: Record<string, string> } } {
  const words = Object.entries(data).flatMap(([name, value]) =>
    typeof value === 'string' ? [[name, value] as const] : [],
  );
  return words.length === 0 ? {} : { providerMetadata: { openai: Object.fromEntries(words) } };
}

function wholeThought(id: string, { summary, content }: PlainObject): StreamPart[] {
  return [...listOf(summary), ...listOf(content)].flatMap(({ text }): StreamPart[] => {
    return typeof text === 'string' ? [{ type: 'reasoning-delta', id, delta: text }] : [];
  });
}

function sourceOf(annotation: unknown): StreamPart[] {
  if (!isPlainObject(annotation)) return [];
  const { url, title, filename } = annotation;
  if (typeof url === 'string') {
    return [{ type: 'source', sourceType: 'url', id: '', url, ...(typeof title === 'string' ? { title } : {}) }];
  }
  if (typeof filename !== 'string') return [];
  return [{ type: 'source', sourceType: 'document', id: '', mediaType: 'text/plain', title: filename }];
}

function readUsage(usage: unknown): LanguageModelV4Usage {
  const {
    input_tokens: input,
    output_tokens: output,
    input_tokens_details: read,
    output_tokens_details: written,
  } = isPlainObject(usage) ? usage : {};
  const [cached, thought] = [isPlainObject(read) ? read : {}, isPlainObject(written) ? written : {}];
  const total = (value: unknown): number | undefined => (value === undefined ? undefined : count(value));
  return {
    inputTokens: {
      total: total(input),
      noCache: undefined,
      cacheRead: count(cached.cached_tokens),
      cacheWrite: count(cached.cache_write_tokens),
    },
    outputTokens: { total: total(output), text: undefined, reasoning: count(thought.reasoning_tokens) },
  };
}

function listOf(value: unknown): PlainObject[] {
  return Array.isArray(value) ? value.filter(isPlainObject) : [];
}
