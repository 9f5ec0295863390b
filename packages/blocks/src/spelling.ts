import { contentBlock } from './content-block.ts';
import type { ContentBlock } from './content-block.ts';
import { FormatError, parseAs } from './values/format-error.ts';
import { parseMessage } from './guards.ts';
import { isJson } from './values/json.ts';
import type { Message } from './message.ts';
import { isPlainObject } from './values/plain-object.ts';
import type { PlainObject } from './values/plain-object.ts';

/** Spellings of other documents and tools that are accepted on input. Loom itself never writes them. */
export const acceptedSpellings = {
  roles: { model: 'assistant' },
  types: {
    tool_call: 'tool-use',
    tool_use: 'tool-use',
    file_change: 'file-change',
  },
  /** Accepted fields by canonical block type: accepted field → the field it stands for. */
  fields: {
    'tool-use': { toolUseId: 'id', tool_use_id: 'id', toolName: 'name', tool_name: 'name', input: 'parameters' },
    image: { mediaType: 'media_type' },
    code: { startLine: 'start_line', totalLines: 'total_lines' },
    command: { exitCode: 'exit_code', durationMs: 'duration_ms' },
  },
  /** The fields of a `tool_result` block, which is not a block in Loom: its content becomes the tool message's. */
  toolResult: { toolUseId: 'tool_call_id', tool_use_id: 'tool_call_id', isError: 'is_error', content: 'result' },
} as const;

/** Reads a block in any accepted spelling, or throws a `FormatError`. */
export function acceptBlock(value: unknown): ContentBlock {
  return parseAs(contentBlock, 'block', respellBlock(value));
}

/**
 * Reads a message in any accepted spelling, or throws a `FormatError`. A `tool_result` block makes the message a tool
 * message: it must be the only block and name the call that it answers.
 */
export function acceptMessage(value: unknown): Message {
  if (!isPlainObject(value)) return parseMessage(value);
  const content: readonly unknown[] = Array.isArray(value['content']) ? value['content'] : [];
  const [first] = content;
  if (content.length === 1 && isPlainObject(first) && first['type'] === 'tool_result') {
    return fromToolResult(value, first);
  }
  const role = lookUp(acceptedSpellings.roles, value['role']) ?? value['role'];
  return parseMessage(
    Array.isArray(value['content']) ? { ...value, role, content: content.map(respellBlock) } : { ...value, role },
  );
}

/** The block type that an accepted spelling stands for; any other word is returned as it is. */
export function canonicalType(type: string): string {
  return lookUp(acceptedSpellings.types, type) ?? type;
}

function respellBlock(value: unknown): unknown {
  if (!isPlainObject(value) || typeof value['type'] !== 'string') return value;
  const type = canonicalType(value['type']);
  return rename({ ...value, type }, lookUp(acceptedSpellings.fields, type) ?? {});
}

/** Fields that both the message and the block in it have must agree. */
function fromToolResult(message: PlainObject, block: PlainObject): Message {
  const { role: _role, content: _content, ...outer } = message;
  const { type: _type, toolName: _toolName, result, ...inner } = rename(block, acceptedSpellings.toolResult);
  for (const [key, value] of Object.entries(outer)) {
    if (Object.hasOwn(inner, key) && inner[key] !== value) {
      throw new FormatError('message', [
        { path: key, message: 'is not the same in the message and in its tool_result' },
      ]);
    }
  }
  const content = Array.isArray(result) ? result.map(respellBlock) : resultText(result);
  return parseMessage({ ...outer, ...inner, role: 'tool', content });
}

function resultText(result: unknown): PlainObject[] {
  if (result === undefined || result === null || result === '') return [];
  // A value that JSON cannot hold stays as it is, for the schema to refuse.
  return [{ type: 'text', text: typeof result !== 'string' && isJson(result) ? JSON.stringify(result) : result }];
}

/** Renames fields; two spellings of one field in the same object are refused rather than one of them dropped. */
function rename(value: PlainObject, names: Readonly<Record<string, string>>): PlainObject {
  const renamed = new Map<string, unknown>();
  for (const [key, property] of Object.entries(value)) {
    const name = lookUp(names, key) ?? key;
    if (renamed.has(name)) throw new FormatError('block', [{ path: key, message: `is given twice, also as ${name}` }]);
    renamed.set(name, property);
  }
  return Object.fromEntries(renamed);
}

function lookUp<V>(table: Readonly<Record<string, V>>, key: unknown): V | undefined {
  return typeof key === 'string' && Object.hasOwn(table, key) ? table[key] : undefined;
}
