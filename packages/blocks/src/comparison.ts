import { isBlank } from './text/clean-text.ts';
import { contentFields } from './content-fields.ts';
import { stableDeepEqual } from './values/equality.ts';
import type { MessageBlock } from './content-block.ts';
import type { Message, Role } from './message.ts';
import type { PlainObject } from './values/plain-object.ts';
import { recordFields } from './record-fields.ts';

/** A message reduced to what decides whether two messages say the same. Never stored. */
export interface ComparableMessage {
  role: Role;
  content: PlainObject[];
  tool_call_id?: string;
  is_error?: true;
}

/** Messages reduced for comparison; `originalIndex[i]` is the place of `messages[i]` in the input. */
export interface NormalizedMessages {
  messages: ComparableMessage[];
  originalIndex: number[];
}

/**
 * Reduces messages to what is compared: role, content fields, `tool_call_id` and `is_error`. Blank text blocks are
 * dropped, and with them user and assistant messages that have nothing else; an empty tool message stays, because it
 * answers a call. The text that remains is compared exactly, not trimmed.
 */
export function normalizeForComparison(messages: readonly Message[]): NormalizedMessages {
  const normalized: NormalizedMessages = { messages: [], originalIndex: [] };
  for (const [index, message] of messages.entries()) {
    if (!saysSomething(message)) continue;
    normalized.messages.push(comparableMessage(message));
    normalized.originalIndex.push(index);
  }
  return normalized;
}

function comparableMessage(message: Message): ComparableMessage {
  const content: PlainObject[] = [];
  for (const block of message.content) if (!isBlankText(block)) content.push(contentFields(block));
  if (message.role !== 'tool') return { role: message.role, content };
  const { role, tool_call_id } = message;
  return message.is_error === true ? { role, content, tool_call_id, is_error: true } : { role, content, tool_call_id };
}

/** Returns true if two messages say the same: compares their normal forms without making them. */
export function messagesEqual(left: Message, right: Message): boolean {
  if (left.role !== right.role) return false;
  if (left.role === 'tool' && right.role === 'tool') {
    if (left.tool_call_id !== right.tool_call_id) return false;
    if ((left.is_error === true) !== (right.is_error === true)) return false;
  }
  let a = nextBlock(left, 0);
  let b = nextBlock(right, 0);
  for (; a < left.content.length && b < right.content.length; a = nextBlock(left, a + 1), b = nextBlock(right, b + 1)) {
    if (!blocksEqual(left.content[a], right.content[b])) return false;
  }
  return a === left.content.length && b === right.content.length;
}

/**
 * The common beginning of two paths: the number of messages that say something, and the index at which each side goes on.
 */
export interface CommonPrefix {
  length: number;
  leftEnd: number;
  rightEnd: number;
}

/**
 * Returns the longest common prefix of two paths, over their normal forms. `leftEnd` and `rightEnd` are indexes into the
 * originals: everything before them is shared, messages that say nothing included.
 */
export function commonPrefix(left: readonly Message[], right: readonly Message[]): CommonPrefix {
  const prefix: CommonPrefix = { length: 0, leftEnd: 0, rightEnd: 0 };
  for (;;) {
    const nextLeft = nextMessage(left, prefix.leftEnd);
    const nextRight = nextMessage(right, prefix.rightEnd);
    const a = left[nextLeft];
    const b = right[nextRight];
    if (a === undefined || b === undefined || !messagesEqual(a, b)) return prefix;
    prefix.length += 1;
    prefix.leftEnd = nextLeft + 1;
    prefix.rightEnd = nextRight + 1;
  }
}

function nextMessage(messages: readonly Message[], from: number): number {
  let index = from;
  for (let message = messages[index]; message && !saysSomething(message); message = messages[index]) index += 1;
  return index;
}

/** An empty tool message says something too: that the call was answered. */
function saysSomething(message: Message): boolean {
  return message.role === 'tool' || nextBlock(message, 0) < message.content.length;
}

function nextBlock(message: Message, from: number): number {
  let index = from;
  for (let block = message.content[index]; block && isBlankText(block); block = message.content[index]) index += 1;
  return index;
}

function isBlankText(block: MessageBlock): boolean {
  return block.type === 'text' && isBlank(block.text);
}

function blocksEqual(left: MessageBlock | undefined, right: MessageBlock | undefined): boolean {
  if (left === undefined || right === undefined || left.type !== right.type) return false;
  // for…in makes no array of keys: whole paths are compared at every append.
  let keys = 0;
  for (const key in left) {
    const value: unknown = Reflect.get(left, key);
    if (value === undefined || Object.hasOwn(recordFields, key)) continue;
    if (!stableDeepEqual(value, Reflect.get(right, key))) return false;
    keys += 1;
  }
  for (const key in right) {
    if (Reflect.get(right, key) !== undefined && !Object.hasOwn(recordFields, key)) keys -= 1;
  }
  return keys === 0;
}
