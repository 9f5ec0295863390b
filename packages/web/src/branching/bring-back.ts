import type { Loom } from '../app/loom.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';

/** Makes an earlier text of a block the newest one; the ones in between stay in its history. */
export async function bringBack(
  loom: Loom,
  conversation: OpenConversation,
  block: string,
  text: string,
): Promise<void> {
  const expected = conversation.replica.text(block);
  await loom.ask('block.replace', {
    block_id: block,
    content: text,
    ...(expected === undefined ? {} : { expected_text: expected }),
  });
  loom.notices.tell('The earlier text is the newest version now.', {
    label: 'Undo',
    run: () => loom.attempt(async () => void (await loom.ask('tree.undo', { root: conversation.root }))),
  });
}
