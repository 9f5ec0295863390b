import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fieldIn, isList, listIn, objectIn, parseJson, textIn } from '../foreign.ts';
import type { ToolCall, ToolResult } from '../view.ts';

/** One thing that an agent reported: a call with its result, or an item that is both. */
type Captured =
  | { kind: 'result'; source: string; call: ToolCall; result: ToolResult }
  | { kind: 'item'; source: string; item: unknown };

/** Finds the folder with captures of agent CLIs; `undefined` if this machine has none. */
export function findCaptures(): string | undefined {
  const folder = process.env['LOOM_CAPTURES'] ?? join(import.meta.dirname, '../../../../../../shared/captures');
  return existsSync(folder) ? folder : undefined;
}

/** Every tool call, result and item of every capture, as an adapter would hand them to the views. */
export function readCaptures(folder: string): Captured[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile() && /\.(?:jsonl|ndjson|json)$/.test(entry.name));
  return files.flatMap((file) => {
    const path = join(file.parentPath, file.name);
    const source = relative(folder, path);
    const text = readFileSync(path, 'utf8');
    const lines = file.name.endsWith('.json') ? [parseJson(text)] : text.split('\n').map(parseJson);
    return readers.get(source.split(sep)[0] ?? '')?.(source, lines) ?? [];
  });
}

type Reader = (source: string, lines: readonly unknown[]) => Captured[];

const readers: ReadonlyMap<string, Reader> = new Map<string, Reader>([
  ['claude', readClaude],
  ['codex', readCodex],
  ['gemini', readGemini],
  ['opencode', readOpencode],
  ['pi', readPi],
]);

function readClaude(source: string, lines: readonly unknown[]): Captured[] {
  return pairUp(source, (calls, found) => {
    for (const line of lines) {
      for (const block of listIn(objectIn(line, 'message'), 'content') ?? []) {
        if (textIn(block, 'type') === 'tool_use') {
          calls.set(textIn(block, 'id') ?? '', callOf(textIn(block, 'name'), fieldIn(block, 'input')));
        } else if (textIn(block, 'type') === 'tool_result') {
          const native = fieldIn(line, 'tool_use_result', 'toolUseResult');
          found(textIn(block, 'tool_use_id'), {
            text: textOf(fieldIn(block, 'content')),
            native,
            is_error: fieldIn(block, 'is_error'),
          });
        }
      }
    }
  });
}

function readCodex(source: string, lines: readonly unknown[]): Captured[] {
  const items = lines.flatMap((line): Captured[] => {
    const holder = objectIn(line, 'payload') ?? objectIn(line, 'params') ?? line;
    const item = objectIn(holder, 'item') ?? (textIn(line, 'type') === 'response_item' ? holder : undefined);
    return item === undefined ? [] : [{ kind: 'item', source, item }];
  });
  const results = pairUp(source, (calls, found) => {
    for (const line of lines) {
      const payload = objectIn(line, 'payload');
      const id = textIn(payload, 'call_id');
      const type = textIn(payload, 'type') ?? '';
      if (type === 'function_call') {
        calls.set(id ?? '', callOf(textIn(payload, 'name'), parseJson(textIn(payload, 'arguments') ?? '')));
      } else if (type === 'custom_tool_call') {
        calls.set(id ?? '', callOf(textIn(payload, 'name'), { input: textIn(payload, 'input') }));
      } else if (type.endsWith('_call_output')) {
        const output = fieldIn(payload, 'output');
        found(id, { text: textOf(output), native: isList(output) ? output : undefined });
      }
    }
  });
  return [...items, ...results];
}

function readGemini(source: string, lines: readonly unknown[]): Captured[] {
  const acp = lines.flatMap((line): Captured[] => {
    const params = objectIn(line, 'params');
    const item = objectIn(params, 'update') ?? objectIn(params, 'toolCall');
    return item === undefined ? [] : [{ kind: 'item', source, item }];
  });
  const recorded = lines.flatMap((line) =>
    (listIn(line, 'toolCalls') ?? []).map((native): Captured => ({
      kind: 'result',
      source,
      call: callOf(textIn(native, 'name'), fieldIn(native, 'args')),
      result: { native },
    })),
  );
  const streamed = pairUp(source, (calls, found) => {
    for (const line of lines) {
      const id = textIn(line, 'tool_id');
      const type = textIn(line, 'type');
      if (type === 'tool_use') calls.set(id ?? '', callOf(textIn(line, 'tool_name'), fieldIn(line, 'parameters')));
      if (type === 'tool_result') found(id, { text: textIn(line, 'output'), native: line });
    }
  });
  return [...acp, ...recorded, ...streamed];
}

function readOpencode(source: string, lines: readonly unknown[]): Captured[] {
  const messages = lines.flatMap((line) => listIn(line, 'messages') ?? []);
  const parts = [
    ...lines.map((line) => objectIn(line, 'part')),
    ...messages.flatMap((message) => listIn(message, 'parts') ?? []),
  ];
  return parts.flatMap((part): Captured[] => {
    const state = objectIn(part, 'state');
    if (state === undefined) return [];
    const call = callOf(textIn(part, 'tool'), fieldIn(state, 'input'));
    return [{ kind: 'result', source, call, result: { native: part } }];
  });
}

function readPi(source: string, lines: readonly unknown[]): Captured[] {
  return pairUp(source, (calls, found) => {
    for (const line of lines) {
      const message = objectIn(line, 'message');
      const id = textIn(line, 'toolCallId') ?? textIn(message, 'toolCallId');
      const type = textIn(line, 'type') ?? '';
      if (type === 'tool_execution_start') calls.set(id ?? '', callOf(textIn(line, 'toolName'), fieldIn(line, 'args')));
      if (type === 'tool_execution_end') found(id, { native: line });
      if (type === 'message' && textIn(message, 'role') === 'toolResult') found(id, { native: message });
      for (const block of listIn(message, 'content') ?? []) {
        if (textIn(block, 'type') !== 'toolCall') continue;
        calls.set(textIn(block, 'id') ?? '', callOf(textIn(block, 'name'), fieldIn(block, 'arguments')));
      }
    }
  });
}

/** A result before its fields are known to be of the right type. */
interface LooseResult {
  text?: string | undefined;
  native?: unknown;
  is_error?: unknown;
}

function pairUp(
  source: string,
  read: (calls: Map<string, ToolCall>, found: (id: string | undefined, result: LooseResult) => void) => void,
): Captured[] {
  const calls = new Map<string, ToolCall>();
  const captured: Captured[] = [];
  read(calls, (id, { text, native, is_error }) => {
    const call = calls.get(id ?? '');
    if (call === undefined) return;
    const result: ToolResult = { native };
    if (text !== undefined) result.text = text;
    if (typeof is_error === 'boolean') result.is_error = is_error;
    captured.push({ kind: 'result', source, call, result });
  });
  return captured;
}

function callOf(name: string | undefined, parameters: unknown): ToolCall {
  return { name: name ?? '', parameters };
}

function textOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  if (!isList(content)) return undefined;
  return content.flatMap((part) => textIn(part, 'text') ?? []).join('\n');
}
