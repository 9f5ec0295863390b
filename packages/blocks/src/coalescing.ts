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
 * text again; unrelated neighbors stay separate blocks of one message. Never joins tool messages, nor across them, nor
 * anything with a tool-use or another kind of block in it. Inputs are not altered.
 */
export function coalesceTextOnlyAdjacent(sequence: readonly MessageInSequence[]): CoalescedMessage[] {
  const coalesced: CoalescedMessage[] = [];
  // The message at the end while it can still grow. The first join makes a copy; that copy is then ours to append to.
  let open: TextOnlyMessage | undefined;
  for (const [index, { message, continues }] of sequence.entries()) {
    const next = isTextOnly(message) ? message : undefined;
    const previous = coalesced.at(-1);
    if (previous && open && next && open.role === next.role) {
      if (previous.end - previous.start === 1) open = { role: open.role, content: [...open.content] };
      append(open.content, next.content, continues === true);
      previous.message = open;
      previous.end = index + 1;
    } else {
      open = next;
      coalesced.push({ message, start: index, end: index + 1 });
    }
  }
  return coalesced;
}

function append(content: TextBlock[], added: TextOnlyMessage['content'], seamless: boolean): void {
  const [first, ...rest] = added;
  const last = content.at(-1);
  if (seamless && last !== undefined && last.ephemeral === first.ephemeral) {
    content[content.length - 1] = joinText(last, first);
  } else {
    content.push(first);
  }
  for (const block of rest) content.push(block);
}

/** The joined text is not a stored block, so it carries neither half's identity; whether a model may see it stays. */
function joinText(left: TextBlock, right: TextBlock): TextBlock {
  const joined: TextBlock = { type: 'text', text: left.text + right.text };
  return left.ephemeral === undefined ? joined : { ...joined, ephemeral: left.ephemeral };
}
