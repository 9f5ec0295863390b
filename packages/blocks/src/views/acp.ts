import type { CommandBlock, FileChange, ToolBlock } from '../content-block.ts';
import type { PlainObject } from '../values/plain-object.ts';
import { listIn, objectIn, textIn } from './foreign.ts';
import { imagesOfParts } from './media.ts';
import { pathIn } from './path.ts';
import { todoBlocks } from './todo.ts';
import { diffTexts, formatDiff } from '../patch/unified-diff.ts';

/** True for what an agent reports over the Agent Client Protocol: a tool call, its update, a plan, or a call to permit. */
export function isAcp(value: PlainObject): boolean {
  const update = textIn(value, 'sessionUpdate');
  return update === undefined ? isPermissionCall(value) : updates.has(update);
}

/** The views of an ACP tool call or plan. ACP names no tool, only what kind of thing it does. */
export function blocksOfAcp(update: PlainObject): ToolBlock[] {
  if (textIn(update, 'sessionUpdate') === 'plan') return todoBlocks(listIn(update, 'entries'));
  const content = listIn(update, 'content') ?? [];
  return [...commandBlocks(update), ...changeBlocks(content), ...imagesOfParts(content)];
}

const updates: ReadonlySet<string> = new Set(['tool_call', 'tool_call_update', 'plan']);

/** The `toolCall` of a permission request carries no `sessionUpdate`. */
function isPermissionCall(value: PlainObject): boolean {
  return textIn(value, 'toolCallId') !== undefined && textIn(value, 'title') !== undefined;
}

function commandBlocks(update: PlainObject): CommandBlock[] {
  if (textIn(update, 'kind') !== 'execute') return [];
  const command = textIn(objectIn(update, 'rawInput'), 'command', 'cmd');
  if (command !== undefined && command !== '') return [{ type: 'command', command }];
  // Gemini CLI sends no input; its title is the command, but nothing promises that.
  const title = textIn(update, 'title') ?? '';
  return title === '' ? [] : [{ type: 'command', command: title, metadata: { basis: 'title' } }];
}

function changeBlocks(content: readonly unknown[]): ToolBlock[] {
  const diffs = content.filter((part) => textIn(part, 'type') === 'diff');
  const changes = diffs.flatMap((part) => readDiff(part, diffs.length) ?? []);
  return changes.length === 0 ? [] : [{ type: 'file-change', changes }];
}

function readDiff(part: unknown, share: number): FileChange | undefined {
  const path = pathIn(part);
  const updated = textIn(part, 'newText');
  if (path === undefined || updated === undefined) return undefined;
  const original = textIn(part, 'oldText') ?? '';
  const kind = kindOf(textIn(objectIn(part, '_meta'), 'kind'), original);
  const from = kind === 'add' ? undefined : path;
  const diff = formatDiff(from, kind === 'delete' ? undefined : path, diffTexts(original, updated, share));
  return diff === undefined ? { path, kind } : { path, kind, diff };
}

/** An agent may say what kind of change it is; otherwise a file without old text is taken for new. */
function kindOf(told: string | undefined, original: string): 'add' | 'modify' | 'delete' {
  if (told === 'add' || told === 'modify' || told === 'delete') return told;
  return original === '' ? 'add' : 'modify';
}
