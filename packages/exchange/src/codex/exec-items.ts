import { isPlainObject } from '@loom/blocks';
import type { PlainObject, ToolUseBlock } from '@loom/blocks';
import { knownFields, objectAt, textAt } from '../foreign/fields.ts';
import { readArguments } from '../foreign/tool-arguments.ts';
import { slimNative } from './natives.ts';
import { stateOf } from './outcome.ts';
import { readParts } from './parts.ts';
import type { ReadParts } from './parts.ts';
import { ownData } from './thread-writer.ts';
import { withReport } from '../foreign/answer.ts';
import type { Answer } from '../foreign/answer.ts';

/** One item of a line of `codex exec --json`, in the spellings of all versions. */
export interface ExecItem {
  readonly id: string | undefined;
  readonly type: string | undefined;
  readonly fields: PlainObject;
}

/** Returns the item of a line: in `item`, in `data`, or in the line itself; its kind is in `type`, formerly `item_type`. */
export function execItemOf(line: PlainObject): ExecItem {
  const inner = objectAt(line, 'item', 'data');
  const fields = inner ?? line;
  const type = textAt(fields, 'item_type') ?? (inner === undefined ? undefined : textAt(fields, 'type'));
  const isMessage = type === 'message' || type === 'assistant_message';
  return { id: textAt(fields, 'id', 'item_id', 'itemId'), type: isMessage ? 'agent_message' : type, fields };
}

/** Returns the text of a message or a thought so far. */
export function wordsOfItem({ text, content }: PlainObject): string | undefined {
  if (typeof text === 'string') return text;
  return typeof content === 'string' ? content : textAt(content, 'text');
}

/** Returns a call that stands for a tool item: the line does not carry the model's actual call. `undefined` for other items. */
export function callOfItem(type: string, item: PlainObject, id: string): ToolUseBlock | undefined {
  switch (type) {
    case 'command_execution':
      return {
        type: 'tool-use',
        id,
        name: type,
        parameters: knownFields({ command: item.command ?? item.content }) ?? {},
      };
    case 'file_change':
      return { type: 'tool-use', id, name: type, parameters: knownFields({ changes: item.changes }) ?? {} };
    case 'todo_list':
      return { type: 'tool-use', id, name: type, parameters: knownFields({ items: item.items }) ?? {} };
    case 'mcp_tool_call': {
      const server = textAt(item, 'server');
      const own = ownData({ namespace: server === undefined ? undefined : `mcp__${server}` });
      return {
        type: 'tool-use',
        id,
        name: textAt(item, 'tool') ?? 'unknown',
        ...readArguments(item.arguments),
        ...own,
      };
    }
    case 'collab_tool_call': {
      const { prompt, receiver_thread_ids: receivers } = item;
      const parameters = knownFields({ prompt, receiver_thread_ids: receivers }) ?? {};
      return { type: 'tool-use', id, name: textAt(item, 'tool') ?? 'unknown', parameters };
    }
    default:
      return undefined;
  }
}

/** Items whose call is unknown before they are done: until then their fields are empty. */
export const toldAtEnd: ReadonlySet<string> = new Set(['web_search', 'collab_tool_call']);

/** Returns the result of a tool item. */
export function resultOfItem(type: string, item: PlainObject): Answer {
  const native = { ...item, type };
  const blocks = blocksOfResult(type, item);
  const [first] = blocks;
  const kept = withReport(blocks, 'codex', slimNative(native));
  const text = type === 'command_execution' ? undefined : first?.type === 'text' ? first.text : undefined;
  return { blocks: kept, text, native, state: stateOf(undefined, native) };
}

/** Links to resources and the like are shown to the model verbatim. */
function spelledOut(block: ReadParts['blocks'][number]): ReadParts['blocks'][number] {
  return block.type === 'raw' ? { type: 'text', text: JSON.stringify(block.value) } : block;
}

function blocksOfResult(type: string, item: PlainObject): ReadParts['blocks'] {
  switch (type) {
    case 'command_execution':
      return [{ type: 'text', text: textAt(item, 'aggregated_output') ?? '' }];
    case 'mcp_tool_call': {
      const result = objectAt(item, 'result');
      const message = textAt(objectAt(item, 'error'), 'message');
      if (message !== undefined) return [{ type: 'text', text: message }];
      const blocks = readParts(result?.content).blocks.map(spelledOut);
      if (blocks.length > 0 || result === undefined) return blocks;
      return isPlainObject(result.structured_content)
        ? [{ type: 'text', text: JSON.stringify(result.structured_content) }]
        : [];
    }
    case 'collab_tool_call':
      return isPlainObject(item.agents_states) ? [{ type: 'text', text: JSON.stringify(item.agents_states) }] : [];
    default:
      return [];
  }
}
