import type { Message } from '@loom/blocks';
import type { ProviderEvent } from '@loom/kernel';
import { SaidMessages } from '../api/answer/said-messages.ts';

/** Returns the messages that all these events produce. */
export function saidMessages(events: readonly ProviderEvent[]): Message[] {
  const said = new SaidMessages();
  for (const event of events) said.add(event);
  return said.messages;
}
