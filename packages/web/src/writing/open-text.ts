import type { TextSplice } from '@loom/blocks';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { editedText } from '../editor/edited-text.ts';
import { allowEditing } from './allow-editing.ts';

/** Changes a text once, as one unit that is undone at once; opens it for that, and waits until the server has it. */
export async function editOpened(
  conversation: OpenConversation,
  { agent, block }: { agent: string; block: string },
  change: (now: string) => readonly TextSplice[],
): Promise<void> {
  await allowEditing(conversation, agent);
  const text = editedText(conversation.replica, block);
  const { promise, resolve } = Promise.withResolvers<void>();
  let isDone = false;
  const look = (): void => {
    if (!text.isOpen()) return;
    if (isDone) {
      if (text.isSaved()) resolve();
      return;
    }
    isDone = true;
    text.edit(change(text.text()), true);
    if (text.isSaved()) resolve();
  };
  // Not while the replica tells of the text.
  const stop = text.follow(() => queueMicrotask(look));
  text.open();
  look();
  try {
    await promise;
  } finally {
    stop();
    text.close();
  }
}
