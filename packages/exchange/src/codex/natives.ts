import { isPlainObject } from '@loom/blocks';
import type { PlainObject } from '@loom/blocks';
import { isList, listAt, objectAt, textAt } from '../foreign/fields.ts';

/** Codex's own report about a tool call, meant for people, with the id of that call. */
export interface Native {
  readonly call: string;
  readonly item: PlainObject;
}

/** Returns an `item_completed` item, or the legacy event with the same content, as the item that views know. `undefined` if it reports no tool. */
export function nativeOf(payload: PlainObject): Native | undefined {
  const item = objectAt(payload, 'item');
  if (item !== undefined) {
    const call = textAt(item, 'id');
    const type = textAt(item, 'type') ?? '';
    return call !== undefined && toolItems.has(type) ? { call, item } : undefined;
  }
  const call = textAt(payload, 'call_id', 'callId');
  const type = legacyTypes.get(textAt(payload, 'type') ?? '');
  if (call === undefined || type === undefined) return undefined;
  return { call, item: type === 'McpToolCall' ? mcpItem(payload) : { ...payload, type } };
}

/** Returns the threads that a report says its call started. */
export function spawnedThreads({ item }: Native): string[] {
  const isSpawn = textAt(item, 'tool') === 'spawn_agent' || textAt(item, 'new_thread_id') !== undefined;
  if (!isSpawn) return [];
  const threads = [textAt(item, 'new_thread_id'), ...listAt(item, 'receiver_thread_ids')];
  return threads.filter((thread) => typeof thread === 'string');
}

/** Returns the item without the parts that a view or the content carries verbatim: outputs, images. */
export function slimNative(item: PlainObject): PlainObject {
  const { aggregated_output: _output, formatted_output: _formatted, stdout: _stdout, ...rest } = item;
  const slim = commandTypes.has(textAt(item, 'type') ?? '') ? rest : { ...item };
  const result = objectAt(slim, 'result');
  const content = result?.content;
  if (result !== undefined && isList(content)) slim.result = { ...result, content: content.map(withoutData) };
  return slim;
}

/** Returns true if a tool's own report says that it failed. */
export function hasFailed(item: PlainObject): boolean {
  const status = textAt(item, 'status');
  if (status === 'failed' || status === 'declined' || item.success === false) return true;
  const result = objectAt(item, 'result');
  return result?.isError === true || (item.error !== undefined && item.error !== null && item.error !== '');
}

const commandTypes: ReadonlySet<string> = new Set(['CommandExecution', 'command_execution']);

const toolItems: ReadonlySet<string> = new Set([
  'CommandExecution',
  'FileChange',
  'McpToolCall',
  'DynamicToolCall',
  'WebSearch',
  'Extension',
  'ImageView',
  'ImageGeneration',
  'CollabAgentToolCall',
]);

const legacyTypes: ReadonlyMap<string, string> = new Map([
  ['exec_command_end', 'CommandExecution'],
  ['patch_apply_end', 'FileChange'],
  ['mcp_tool_call_end', 'McpToolCall'],
  ['web_search_end', 'WebSearch'],
  ['image_generation_end', 'ImageGeneration'],
  ['view_image_tool_call', 'ImageView'],
  ['dynamic_tool_call_response', 'DynamicToolCall'],
  ['collab_agent_spawn_end', 'CollabAgentToolCall'],
  ['collab_agent_interaction_end', 'CollabAgentToolCall'],
  ['collab_waiting_end', 'CollabAgentToolCall'],
  ['collab_close_end', 'CollabAgentToolCall'],
  ['collab_resume_end', 'CollabAgentToolCall'],
]);

/** `{invocation: {server, tool, arguments}, result: {Ok: {…}} | {Err: …}}`. */
function mcpItem(payload: PlainObject): PlainObject {
  const result = objectAt(payload, 'result');
  const ok = objectAt(result, 'Ok');
  const failed = result !== undefined && result.Err !== undefined ? { error: { message: result.Err } } : {};
  const { invocation: _invocation, result: _result, ...rest } = payload;
  return {
    ...rest,
    ...objectAt(payload, 'invocation'),
    type: 'McpToolCall',
    ...(ok === undefined ? {} : { result: ok }),
    ...failed,
  };
}

function withoutData(part: unknown): unknown {
  if (!isPlainObject(part) || typeof part.data !== 'string') return part;
  const { data, ...rest } = part;
  return { ...rest, bytes: typeof data === 'string' ? data.length : 0 };
}
