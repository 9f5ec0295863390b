import type { WaitingView } from '@loom/sync';
import type { Loom } from '../../app/loom.ts';
import { draftOf } from '../attaching/attachments.ts';
import { focusComposer } from '../focus.ts';

/** The actions on a message that waits for a turn. One that was heard meanwhile is left alone, and the reader learns that. */

export async function withdraw(loom: Loom, root: string, { id }: WaitingView): Promise<void> {
  await loom.ask('turn.withdraw', { root, message: id });
}

/** Takes a message back into the field, to be changed. */
export async function takeBack(loom: Loom, root: string, { id }: WaitingView): Promise<void> {
  const { blocks } = await loom.ask('turn.withdraw', { root, message: id });
  loom.composer.giveBack(draftOf([blocks]));
  focusComposer();
}

/** Sends a message after the current round, rather than after the turn. */
export async function sendNow(loom: Loom, root: string, { id, turn }: WaitingView): Promise<void> {
  const { blocks } = await loom.ask('turn.withdraw', { root, message: id });
  try {
    await loom.ask('turn.steer', { root, turn, content: blocks });
  } catch (error) {
    loom.composer.giveBack(draftOf([blocks]));
    throw error;
  }
}

/** Moves a queued message before the one in front of it. */
export async function sendSooner(loom: Loom, root: string, { id }: WaitingView, before: string): Promise<void> {
  await loom.ask('turn.reorder', { root, message: id, before });
}
