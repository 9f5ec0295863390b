import type { Loom } from '../../runtime/loom.ts';
import { orFail } from '../../words/refusal-error.ts';
import type { Conversation, SaidContent } from '../conversation.ts';

interface Screen {
  loom: Loom;
  attach: (text: string) => Promise<SaidContent>;
}

/** Sends a command of the agent that answers, as a message. Returns false if no agent answers, or it offers none of that name. */
export async function sayToAgent(
  line: string,
  name: string,
  conversation: Conversation,
  { loom, attach }: Screen,
): Promise<boolean> {
  const { provider } = conversation.model;
  const { items } = orFail(await loom.call('provider.list', { live: false }));
  const offered = items.find((item) => item.name === provider)?.commands ?? [];
  if (!offered.some((command) => command.name.replace(/^\//u, '') === name)) return false;
  const content = await attach(line);
  await (conversation.isBusy ? conversation.steer(content) : conversation.say(content));
  return true;
}
