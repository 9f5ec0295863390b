import type { Loom } from '../app/loom.ts';
import { leaves } from '../conversation/branches.ts';
import type { OpenConversation } from '../conversation/open-conversation.ts';
import { marksFor } from '../conversation/shown-to-models.ts';
import { askPrice } from './priced.ts';

/** Begins a branch right after a block: the next message goes there. */
export async function forkAfter(loom: Loom, conversation: OpenConversation, block: string): Promise<void> {
  const { tip } = await loom.ask('node.fork', { block_id: block });
  if (!(await conversation.until(tip))) return;
  loom.go({ name: 'conversation', root: conversation.root, node: tip, view: 'new' });
  document.getElementById('composer')?.focus();
  loom.notices.speak('A new branch begins here. What you write next stands on it.');
}

/** Hides a block from models, from the end of the branch on, or includes it again. Asks first if that costs something. */
export async function toggleExcluded(loom: Loom, conversation: OpenConversation, block: string): Promise<void> {
  const path = conversation.loadedPath();
  const isIncluding = path.some(({ exclude = [] }) => exclude.includes(block));
  const marks = marksFor(path, block);
  await askPrice(loom, {
    title: isIncluding ? 'Include this block again?' : 'Leave this block out?',
    action: isIncluding ? 'Include' : 'Leave out',
    costs: async () =>
      (await Promise.all(marks.map((mark) => loom.ask('context.cost', mark)))).flatMap(({ costs }) => costs),
    run: async () => {
      for (const { node, exclude } of marks) await loom.ask('node.mark', { node, exclude });
      const words = isIncluding ? 'Models see this block again.' : 'Models no longer see this block.';
      loom.notices.tell(words, {
        label: 'Undo',
        run: () => loom.attempt(() => toggleExcluded(loom, conversation, block)),
      });
    },
  });
}

/** Lets the context begin at a message, or with the first message again. Asks first if that costs something. */
export async function toggleContextStart(loom: Loom, conversation: OpenConversation, node: string): Promise<void> {
  const isStart = conversation.replica.nodes.get(node)?.context_start === true;
  const mark = { node, context_start: isStart ? null : true };
  await askPrice(loom, {
    title: isStart ? 'Start the context with the first message again?' : 'Start the context here?',
    action: 'Start',
    costs: async () => (await loom.ask('context.cost', mark)).costs,
    run: async () => {
      await loom.ask('node.mark', mark);
      loom.notices.tell(
        isStart ? 'Models are shown what is above again.' : 'Models are not shown what is above this message.',
        { label: 'Undo', run: () => loom.attempt(() => toggleContextStart(loom, conversation, node)) },
      );
    },
  });
}

/** Takes back the reader's last change of the conversation; that can be done again. */
export async function undo(loom: Loom, conversation: OpenConversation): Promise<void> {
  await loom.ask('tree.undo', { root: conversation.root });
  loom.notices.tell('Undone.', { label: 'Redo', run: () => loom.attempt(() => redo(loom, conversation)) });
}

export async function redo(loom: Loom, conversation: OpenConversation): Promise<void> {
  await loom.ask('tree.redo', { root: conversation.root });
  loom.notices.tell('Done again.', { label: 'Undo', run: () => loom.attempt(() => undo(loom, conversation)) });
}

/** Marks the branch of a message; the second mark opens both side by side. */
export function markToCompare(loom: Loom, conversation: OpenConversation, node: string): void {
  const marked = loom.workspace.mark(node);
  const [left, right] = marked;
  if (left !== undefined && right !== undefined) {
    loom.workspace.marked.set([]);
    compare(loom, conversation, left, right);
  } else if (left !== undefined) {
    loom.notices.tell('Marked. Mark a message of another branch to compare both.');
  }
}

/** Shows the branches of two messages side by side; if both are on one branch, each up to its message. */
function compare(loom: Loom, conversation: OpenConversation, one: string, other: string): void {
  const ends = [conversation.endOf(one), conversation.endOf(other)] as const;
  const [left, right] = ends[0] === ends[1] ? [one, other] : ends;
  loom.go({ name: 'compare', root: conversation.root, left, right });
}

/** Compares the branch that is shown with the one that was written to last beside it. */
export function compareWithLast(loom: Loom, conversation: OpenConversation): void {
  const { tip } = conversation;
  const other = leaves(conversation.shape.getSnapshot()).find((leaf) => leaf !== tip);
  if (other === undefined) loom.notices.tell('There is only one branch. Fork or edit a message to get another one.');
  else loom.go({ name: 'compare', root: conversation.root, left: other, right: tip });
}
