import type { OpenConversation } from '../conversation/open-conversation.ts';
import { readHistory } from './history/history-reading.ts';
import type { Ask } from './history/history-reading.ts';
import { flipEdits } from './history/take-back.ts';

interface Move {
  readonly reader: string;
  readonly block: string;
  /** The version that the reader began to edit. */
  readonly since: number;
}

/**
 * Moves what the reader typed to a new branch beside the message: the sibling has the text as it is now, and here the reader's own edits since
 * `since` are taken back. What others wrote meanwhile stays in both. Returns the new message.
 */
export async function moveToBranch(
  ask: Ask,
  conversation: OpenConversation,
  { reader, block, since }: Move,
): Promise<string> {
  const { replica } = conversation;
  const message = replica.nodeOf(block);
  const text = replica.text(block);
  if (message === undefined || text === undefined) throw new Error('This text is no longer here.');
  const content = message.blocks.flatMap((one) => {
    if (one.type !== 'text') return [];
    return [{ type: 'text' as const, text: one.block_id === block ? text : one.text }];
  });
  const own = (await readHistory(ask, block, since)).filter(({ agent, edit }) => agent === reader && edit === 'done');
  const versions = new Set(own.map(({ version }) => version));
  if (versions.size === 0) throw new Error('You have not typed anything here that could be moved.');
  // A message that says the same as this one would be this one.
  await flipEdits(ask, { block, versions, how: 'undo' });
  try {
    const { node, how } = await ask('node.edit', { node: message.id, content, mode: 'sibling' });
    if (how === 'unchanged') throw new Error('The text is the same without what you typed.');
    return node;
  } catch (error) {
    await flipEdits(ask, { block, versions, how: 'redo' });
    throw error;
  }
}
