import { recentLeaves } from '@loom/kernel';
import { LoomError } from '../command-line/failure.ts';
import { listConversations } from '../runtime/conversations.ts';
import { findPlace } from '../runtime/named-place.ts';
import type { Loom } from '../runtime/loom.ts';
import { suggest } from '../command-line/suggested-command.ts';

/** A root, and the node of it to go on from. */
export interface StartingPlace {
  root: string;
  place: string;
}

/** The node that a person names; a root stands for where something happened last in it. */
export async function findNamedPlace(loom: Loom, text: string): Promise<StartingPlace> {
  const { root, node } = await findPlace(loom, text);
  const state = await loom.open(root);
  if (node !== root) return { root, place: node };
  return { root, place: recentLeaves(state, 1)[0]?.id ?? root };
}

/**
 * Finds the end of the branch with the latest activity in the whole forest. Passes over a conversation in which nothing was said: a chat
 * that is killed before its first message leaves one.
 */
export async function findRecentPlace(loom: Loom): Promise<StartingPlace> {
  let isUnreadable = false;
  for (const { id, damaged } of await listConversations(loom, { archived: 'without' })) {
    const state = damaged === undefined ? await loom.peek(id) : undefined;
    if (state === undefined) isUnreadable = true;
    else if (recentLeaves(state, 1).length > 0) return findNamedPlace(loom, id);
  }
  throw new LoomError('nothing-there', 'there is no conversation to continue', {
    advice: isUnreadable
      ? `The existing ones cannot be read: ${suggest('doctor')} says why.`
      : `Start one: ${suggest('chat')}`,
  });
}
