import { contentFields } from './content-fields.ts';
import type { MessageBlock, ToolUseBlock } from './content-block.ts';
import { parseToolArguments } from './legacy/tool-arguments.ts';
import type { Message, Role } from './message.ts';
import { isBlank } from './text/clean-text.ts';
import { stableDeepEqual } from './values/equality.ts';
import type { PlainObject } from './values/plain-object.ts';

/** A message reduced to what a program that was answered repeats of it. Never stored. */
export interface SaidContent {
  role: Role;
  /** The call that a result answers. */
  answers?: string;
  /** Everything but calls, in order: the texts of a run, each without white space at its seams, or the fields of another block. */
  parts: (string[] | PlainObject)[];
  /** Calls, in a separate list as in the protocols that programs speak; their place among the texts is lost there. */
  calls: SaidCall[];
}

interface SaidCall {
  id: string;
  name: string;
  /** The parameters, or the string that could not be read. */
  parameters: PlainObject | string;
}

/**
 * Reduces a message to what programs repeat. Thinking, sources, errors, calls that were cut off and whether a result is an error are left
 * out; white space at the end of a text and between adjacent texts does not count, nor does the spelling of arguments.
 */
export function saidContent(message: Message): SaidContent {
  const { role } = message;
  const said: SaidContent = { role, parts: [], calls: [] };
  if (message.role === 'tool') said.answers = message.tool_call_id;
  for (const block of message.content) addBlock(said, block);
  return said;
}

function addBlock({ parts, calls }: SaidContent, block: MessageBlock): void {
  switch (block.type) {
    case 'thinking':
    case 'sources':
    case 'error':
      return;
    case 'tool-use':
      if (block.status !== 'error') calls.push({ id: block.id, name: block.name, parameters: parametersOf(block) });
      return;
    case 'text': {
      if (isBlank(block.text)) return;
      const run = parts.at(-1);
      if (Array.isArray(run)) run.push(block.text.trim());
      else parts.push([block.text.trimEnd()]);
      return;
    }
    default:
      parts.push(contentFields(block));
  }
}

function parametersOf({ parameters, arguments: exact }: ToolUseBlock): PlainObject | string {
  return exact === undefined || parseToolArguments(exact).ok ? parameters : exact.trim();
}

/** Compares two messages by what a program repeats of them; at the seam of two texts either side may have any white space, or none. */
export function saysSame(left: Message, right: Message): boolean {
  if (left.role !== right.role) return false;
  const [a, b] = [saidContent(left), saidContent(right)];
  if (a.answers !== b.answers || a.parts.length !== b.parts.length) return false;
  return stableDeepEqual(a.calls, b.calls) && a.parts.every((part, index) => partsAgree(part, b.parts[index]));
}

/** Tells messages of which a program would repeat nothing. A result always says that its call was answered. */
export function saysNothing(message: Message): boolean {
  const { answers, parts, calls } = saidContent(message);
  return answers === undefined && parts.length === 0 && calls.length === 0;
}

function partsAgree(left: string[] | PlainObject, right: string[] | PlainObject | undefined): boolean {
  return Array.isArray(left) && Array.isArray(right) ? textsAgree(left, right) : stableDeepEqual(left, right);
}

function textsAgree(left: readonly string[], right: readonly string[]): boolean {
  let [a = '', b = ''] = [left[0], right[0]];
  let [nextLeft, nextRight] = [1, 1];
  for (;;) {
    if (a.length < b.length ? !b.startsWith(a) : !a.startsWith(b)) return false;
    const shared = Math.min(a.length, b.length);
    // At a seam of one side, the other may have put white space.
    [a, b] = [a.slice(shared).trimStart(), b.slice(shared).trimStart()];
    if (a === '') a = left[nextLeft++] ?? '';
    if (b === '') b = right[nextRight++] ?? '';
    if (a === '' || b === '') return a === b;
  }
}
