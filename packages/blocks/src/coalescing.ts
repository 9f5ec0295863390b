import type { TextBlock } from './content-block.ts';
import { isTextOnly } from './guards.ts';
import type { TextOnlyMessage } from './guards.ts';
import type { Message } from './message.ts';

/** A message on its way to a reader. `continues`: it was cut off from the message before it and joins it without a seam. */
export interface MessageInSequence {
  message: Message;
  continues?: boolean;
}

/** A message after coalescing and the run of inputs, `start` to `end` (exclusive), that it was made of. */
export interface CoalescedMessage {
  message: Message;
  start: number;
  end: number;
}

/**
 * Joins adjacent user or assistant messages of one role that hold nothing but text. Halves of a split message become one
 * text again; unrelated neighbours stay separate blocks of one message. Never joins tool messages, nor across them, nor
 * anything with a tool-use or another kind of block in it. Inputs are not altered.
 */
export function coalesceTextOnlyAdjacent(sequence: readonly MessageInSequence[]): CoalescedMessage[] {
  const coalesced: CoalescedMessage[] = [];
  for (const [index, { message, continues }] of sequence.entries()) {
    const previous = coalesced.at(-1);
    if (previous && isTextOnly(previous.message) && isTextOnly(message) && previous.message.role === message.role) {
      previous.message = join(previous.message, message, continues === true);
      previous.end = index + 1;
    } else {
      coalesced.push({ message, start: index, end: index + 1 });
    }
  }
  return coalesced;
}

function join(left: TextOnlyMessage, right: TextOnlyMessage, seamless: boolean): TextOnlyMessage {
  if (!seamless) return { role: left.role, content: [...left.content, ...right.content] };
  const [first, ...rest] = right.content;
  const [head, ...others] = left.content;
  const last = others.pop();
  // The joined text is no stored block, so it carries neither half's identity.
  if (last === undefined) return { role: left.role, content: [joinText(head, first), ...rest] };
  return { role: left.role, content: [head, ...others, joinText(last, first), ...rest] };
}

function joinText(left: TextBlock, right: TextBlock): TextBlock {
  return { type: 'text', text: left.text + right.text };
}
