import type { NodeState } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { chosenModel } from '../composer/chosen-model.ts';
import type { OpenConversation } from './open-conversation.ts';
import { countBelow } from './branches.ts';
import { count } from '../words/amounts.ts';

/** Lets a model answer once more; the answers that are there stay beside the new one. */
export async function regenerate(loom: Loom, conversation: OpenConversation, node: string): Promise<void> {
  const { nodes } = await loom.ask('turn.retry', { node, ...chosenModel(loom) });
  const [answer] = nodes ?? [];
  if (answer === undefined) return;
  if (await conversation.until(answer)) loom.go({ name: 'conversation', root: conversation.root, node: answer });
}

/** Gives a message a bookmark, or takes it away. */
export async function bookmark(loom: Loom, conversation: OpenConversation, node: string): Promise<void> {
  const isMarked = conversation.replica.root.bookmarks[node] !== undefined;
  await loom.ask('node.bookmark', { node, title: isMarked ? null : '' });
}

/** Deletes a message and those below it; that can be undone. */
export async function remove(loom: Loom, conversation: OpenConversation, node: string): Promise<void> {
  const messages = countBelow(conversation.shape.getSnapshot(), node);
  await loom.ask('node.remove', { node });
  loom.notices.tell(`Deleted ${count(messages, 'message')}.`, {
    label: 'Undo',
    run: () => loom.attempt(async () => void (await loom.ask('node.restore', { node }))),
  });
}

/** Copies the command line that goes on with a branch in a terminal, from its last message; says why there is none. */
export async function copyCommand(loom: Loom, node: string): Promise<void> {
  const { line, why } = await loom.ask('agent.command', { node });
  if (line === undefined) {
    loom.notices.tell(why ?? 'There is no command that goes on here.');
    return;
  }
  try {
    await navigator.clipboard.writeText(line);
    loom.notices.tell(`Copied: ${line}`);
  } catch {
    loom.notices.tell(`The browser does not let Loom copy. The command: ${line}`);
  }
}

export async function copyMessage({ blocks }: NodeState): Promise<void> {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []));
  await navigator.clipboard.writeText(texts.join('\n\n'));
}
