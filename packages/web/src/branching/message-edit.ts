import type { NodeState } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { chosenModel } from '../composer/chosen-model.ts';
import { take } from '../composer/take-queued.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';

/** The ways to save an edited text. */
export type EditChoice = 'in-place' | 'branch' | 'branch-and-run' | 'save' | 'save-and-run';

/** The block of a message that is edited. */
export interface EditedBlock {
  readonly node: string;
  readonly block: string;
  /** True if it is written together with others, and each key is saved; else the reader writes a new text and saves that. */
  readonly isShared?: boolean;
}

/** Returns the ways to save another text of a message; the first is the default. */
export function editChoices({ role }: Pick<NodeState, 'role'>, isLeaf: boolean): readonly EditChoice[] {
  const isPerson = role === 'user';
  if (isLeaf) return isPerson ? ['save', 'save-and-run'] : ['save'];
  return isPerson ? ['in-place', 'branch', 'branch-and-run'] : ['in-place', 'branch'];
}

export function firstChoice(choices: readonly EditChoice[]): EditChoice {
  if (choices.includes('branch-and-run')) return 'branch-and-run';
  return choices.includes('branch') ? 'branch' : 'save';
}

/** The texts of a message with another one for a block. */
export function textsWith({ blocks }: Pick<NodeState, 'blocks'>, block: string, text: string): string[] {
  return blocks.flatMap((one) => (one.type !== 'text' ? [] : [one.block_id === block ? text : one.text]));
}

const asBlocks = (texts: readonly string[]) => texts.map((text) => ({ type: 'text' as const, text }));

/**
 * Saves an edited text as it was chosen. In place, a text that has changed since it was opened is not overwritten. An edit and the run that
 * follows it are one step: both are in the outbox before the first is sent, so that leaving the conversation or a reload loses neither.
 */
export async function saveEdit(
  loom: Loom,
  conversation: OpenConversation,
  {
    node,
    block,
    opened,
    text,
    choice,
  }: { node: NodeState; block: string; opened: string; text: string; choice: EditChoice },
): Promise<void> {
  const isInPlace = choice === 'in-place' || choice === 'save' || choice === 'save-and-run';
  const outbox = await loom.outbox;
  const change = { node: node.id, content: asBlocks(textsWith(node, block, text)) };
  const edit = isInPlace
    ? outbox.add('node.edit', { ...change, mode: 'in-place', expected: asBlocks(textsWith(node, block, opened)) })
    : outbox.add('node.edit', { ...change, mode: 'sibling' });
  const isRun = choice === 'branch-and-run' || choice === 'save-and-run';
  const run = isRun
    ? outbox.add('turn.start', { node: edit.reference('node'), ...chosenModel(loom) }, { runs: true })
    : undefined;
  const edited = await take(outbox, edit);
  if (!isInPlace && (await conversation.until(edited.node))) {
    loom.go({ name: 'conversation', root: conversation.root, node: edited.node });
  }
  if (run !== undefined) await take(outbox, run);
}
