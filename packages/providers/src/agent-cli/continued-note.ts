import type { Continuation } from '@loom/blocks';
import type { ProviderEvent, ProviderRequest } from '@loom/kernel';

/** Returns the event that notes, on the first message of a turn, how its agent goes on with the branch. */
export function continuedNote(agent: string, { how, loses = [] }: Continuation): ProviderEvent {
  return { type: 'note', data: { continued: { agent, how, ...(loses.length === 0 ? {} : { loses: [...loses] }) } } };
}

/** Returns the parts of a branch that are lost where it is told as text, in a word each. */
export function lostInText({ messages }: Pick<ProviderRequest, 'messages'>): string[] {
  const last = messages.findLastIndex(({ role }) => role !== 'user');
  const types = new Set(messages.slice(0, last + 1).flatMap(({ content }) => content.map(({ type }) => type)));
  return [...(types.has('image') ? ['pictures'] : []), ...(types.has('thinking') ? ['thinking'] : [])];
}
