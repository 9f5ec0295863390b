import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import type { RawReader, StreamPart } from '../api/api.ts';
import { z } from 'zod';
import { count } from '../api/answer/usage.ts';
import { diagnosticsNote } from './cache-diagnostics.ts';
import { isLeadIn } from './lead-in.ts';

const jsonObject = z.record(z.string(), z.json());

/**
 * Reads the events that the SDK changes or drops: the usage at the beginning, which is the only one for a call that is stopped, and the tools that
 * Anthropic runs itself. The SDK renames those and rewrites their results; they must go back unchanged.
 */
export function createRawReader(): RawReader {
  const calls = new Map<number, { id: string; name: string; native: PlainObject; hasGrown: boolean }>();
  const names = new Map<string, string>();

  const begin = (index: number, block: PlainObject): StreamPart[] | undefined => {
    const { type, id, name, tool_use_id: answered } = block;
    if ((type === 'server_tool_use' || type === 'mcp_tool_use') && typeof id === 'string' && typeof name === 'string') {
      calls.set(index, { id, name, native: block, hasGrown: false });
      names.set(id, name);
      return [{ type: 'tool-input-start', id, toolName: name, providerExecuted: true }];
    }
    if (typeof type !== 'string' || !type.endsWith('_tool_result') || typeof answered !== 'string') return undefined;
    const toolName = names.get(answered) ?? '';
    const isError = block.is_error === true || isFailure(block.content);
    return [
      { type: 'tool-result', toolCallId: answered, toolName, result: copy(block), isError },
      ...sourcesOf(block.content),
    ];
  };

  const grow = (index: number, delta: PlainObject): StreamPart[] | undefined => {
    if (delta.type === 'citations_delta') return isPlainObject(delta.citation) ? [sourceOf(delta.citation)] : undefined;
    const call = calls.get(index);
    if (call === undefined || delta.type !== 'input_json_delta' || typeof delta.partial_json !== 'string')
      return undefined;
    call.hasGrown ||= delta.partial_json !== '';
    return [{ type: 'tool-input-delta', id: call.id, delta: delta.partial_json }];
  };

  const end = (index: number): StreamPart[] | undefined => {
    const call = calls.get(index);
    if (call === undefined) return undefined;
    calls.delete(index);
    const input = call.hasGrown ? '' : JSON.stringify(call.native.input ?? {});
    const providerMetadata = { anthropic: { native: copy(call.native) } };
    return [
      { type: 'tool-call', toolCallId: call.id, toolName: call.name, input, providerExecuted: true, providerMetadata },
    ];
  };

  return (event) => {
    if (!isPlainObject(event)) return undefined;
    if (isLeadIn(event)) return [];
    const index = typeof event.index === 'number' ? event.index : -1;
    switch (event.type) {
      case 'message_start':
        calls.clear();
        return atStart(event.message);
      case 'content_block_start':
        return isPlainObject(event.content_block) ? begin(index, event.content_block) : undefined;
      case 'content_block_delta':
        return isPlainObject(event.delta) ? grow(index, event.delta) : undefined;
      case 'content_block_stop':
        return end(index);
      default:
        return undefined;
    }
  };
}

/** Returns the text of a result for people and other models. */
export function describeResult({ result }: { result: unknown }): string {
  const content = isPlainObject(result) ? result.content : result;
  const lines = listOf(content).map((item) => {
    if (!isPlainObject(item)) return String(item);
    const words = ['error_code', 'title', 'url', 'text', 'stdout', 'stderr', 'page_age'].flatMap((name) => {
      const value = item[name];
      return typeof value === 'string' && value !== '' ? [value] : [];
    });
    const document = isPlainObject(item.content) ? item.content : {};
    const source = isPlainObject(document.source) ? document.source.data : undefined;
    const isText = isPlainObject(document.source) && document.source.type === 'text' && typeof source === 'string';
    return [...words, ...(isText ? [source] : [])].join('\n');
  });
  return lines.filter((line) => line !== '').join('\n\n');
}

function atStart(message: unknown): StreamPart[] | undefined {
  const usage = usageAtStart(message);
  if (usage === undefined || !isPlainObject(message)) return usage;
  const notes = [diagnosticsNote(message), droppedThoughts(message)].filter((note) => note !== undefined);
  return [...notes.map((data) => ({ type: 'note' as const, data })), ...usage];
}

/** Returns the thoughts that Anthropic has not shown to the model, since they do not belong to this conversation. */
function droppedThoughts({ input_transformations: changes }: PlainObject): PlainObject | undefined {
  const leftOut = listOf(changes).flatMap((change) =>
    isPlainObject(change) && change.type === 'thinking_dropped'
      ? [
          {
            what: 'thinking',
            why: dropReasons.get(change.reason) ?? `Anthropic left it out (${String(change.reason)}).`,
          },
        ]
      : [],
  );
  return leftOut.length === 0 ? undefined : { left_out: leftOut };
}

const dropReasons: ReadonlyMap<unknown, string> = new Map([
  ['prefix_binding_mismatch', 'Anthropic left it out: what stands before it has changed.'],
  ['model_binding_mismatch', 'Anthropic left it out: another model thought it.'],
  ['organization_binding_mismatch', 'Anthropic left it out: it was thought for another account.'],
  ['end_user_binding_mismatch', 'Anthropic left it out: it was thought for another user.'],
]);

function usageAtStart(message: unknown): StreamPart[] | undefined {
  const usage = isPlainObject(message) && isPlainObject(message.usage) ? message.usage : undefined;
  // The SDK must unpack a message that already has content.
  if (usage === undefined || (isPlainObject(message) && listOf(message.content).length > 0)) return undefined;
  const [read, written] = [count(usage.cache_read_input_tokens), count(usage.cache_creation_input_tokens)];
  return [
    {
      type: 'usage',
      usage: {
        input_tokens: count(usage.input_tokens) + read + written,
        output_tokens: count(usage.output_tokens),
        ...(read > 0 ? { cached_input_tokens: read } : {}),
        ...(written > 0 ? { cache_write_tokens: written } : {}),
      },
    },
  ];
}

function sourcesOf(content: unknown): StreamPart[] {
  return listOf(content).flatMap((item) =>
    isPlainObject(item) && typeof item.url === 'string' ? [sourceOf(item)] : [],
  );
}

/** A page by its address, or a document of the conversation by its title. */
function sourceOf({ url, title, document_title: document }: PlainObject): StreamPart {
  const name = typeof title === 'string' ? title : typeof document === 'string' ? document : '';
  if (typeof url === 'string') return { type: 'source', sourceType: 'url', id: '', url, title: name };
  return { type: 'source', sourceType: 'document', id: '', mediaType: 'text/plain', title: name };
}

function isFailure(content: unknown): boolean {
  return isPlainObject(content) && typeof content.type === 'string' && content.type.endsWith('_error');
}

function listOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null ? [] : [value];
}

/** Copies a JSON value of the wire to the SDK's type. */
function copy(value: PlainObject): z.infer<typeof jsonObject> {
  return jsonObject.parse(value);
}
