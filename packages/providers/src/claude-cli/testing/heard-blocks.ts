import { withAppended } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';

/** A message as a listener to events has it in the end. */
export interface HeardMessage {
  conversation: string;
  role: string;
  blocks: MessageBlock[];
  names: string[];
}

/** Puts the events of a call together: each message with its blocks. `grown` are the blocks as their deltas alone made them. */
export function heardMessages(events: readonly ProviderEvent[]): {
  messages: HeardMessage[];
  grown: Map<string, MessageBlock>;
} {
  const messages = new Map<string, HeardMessage>();
  const open = new Map<string, { message: HeardMessage; index: number }>();
  const grown = new Map<string, MessageBlock>();
  const of = (child: string | undefined, message: string, role: string): HeardMessage => {
    const name = `${child ?? ''}\n${message}`;
    const known = messages.get(name) ?? { conversation: child ?? '', role, blocks: [], names: [] };
    messages.set(name, known);
    return known;
  };
  for (const event of events) {
    if (event.type === 'block' || event.type === 'block-start') {
      const message = of(event.child, event.message, event.role);
      message.blocks.push(event.block);
      if (event.type === 'block-start') {
        open.set(event.key, { message, index: message.blocks.length - 1 });
        grown.set(event.key, event.block);
      }
    } else if (event.type === 'notice') {
      of(event.child, event.message, 'user').blocks.push(...event.blocks);
    } else if (event.type === 'block-delta') {
      const before = grown.get(event.key);
      if (before !== undefined) grown.set(event.key, withAppended(before, event.field, event.text));
    } else if (event.type === 'block-end') {
      const place = open.get(event.key);
      const block = event.block ?? grown.get(event.key);
      if (place !== undefined && block !== undefined) place.message.blocks[place.index] = block;
    } else if (event.type === 'retract') {
      const place = open.get(event.key);
      place?.message.blocks.splice(place.index, 1);
    } else if (event.type === 'named' && event.message !== undefined) {
      messages.get(`${event.child ?? ''}\n${event.message}`)?.names.push(...(event.keys ?? []));
    }
  }
  return { messages: [...messages.values()].filter(({ blocks }) => blocks.length > 0), grown };
}
