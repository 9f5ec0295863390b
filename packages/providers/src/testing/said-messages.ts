import type { Message } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { SaidMessages } from '../api/answer/said-messages.ts';

/** The messages that all these events come to. */
export function saidMessages(events: readonly ProviderEvent[]): Message[] {
  const said = new SaidMessages();
  for (const event of events) said.add(event);
  return said.messages;
}
