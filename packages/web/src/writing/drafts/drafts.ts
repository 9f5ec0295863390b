import { editableText } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { keptStore } from '../../stores/kept-store.ts';
import type { Store } from '../../stores/store.ts';
import { useStore } from '../../stores/use-store.ts';
import type { OpenConversation } from '../../conversation/open-conversation.ts';

/** A text beside the messages of a conversation. */
export interface Draft {
  readonly node: string;
  readonly block: string;
  readonly title: string;
}

/** The block of the draft that is shown beside the timeline. */
export const openDraft: Store<string | undefined> = keptStore<string | undefined>(localStorage, 'loom-open-draft', {
  read: (value) => (typeof value === 'string' ? value : undefined),
  otherwise: undefined,
});

/** Returns the drafts of a conversation, the oldest first. */
export function useDrafts(conversation: OpenConversation): readonly Draft[] {
  const { drafts } = useStore(conversation.watch.whole);
  return drafts.flatMap((id) => {
    const node = conversation.replica.drafts.get(id);
    return node === undefined ? [] : draftOf(node);
  });
}

function draftOf({ id, title, blocks: [block] }: NodeState): Draft[] {
  if (block?.block_id === undefined) return [];
  return [{ node: id, block: block.block_id, title: title ?? nameOfText(editableText(block) ?? '') }];
}

/** The longest name that a text gives itself, in characters. */
const longest = 60;

/** Names a text by its first line with words. */
export function nameOfText(text: string): string {
  const line =
    text
      .slice(0, 2000)
      .split('\n')
      .find((one) => /[\p{L}\p{N}]/u.test(one)) ?? '';
  const name = line.replace(/^[#>\-*\s]+/u, '').trim();
  return name === '' ? 'Untitled draft' : name.slice(0, longest).toWellFormed();
}

/** Returns the name of the file that a text is saved as: `Plan for the fix` becomes `plan-for-the-fix.md`. */
export function fileNameOf(title: string): string {
  const name = title
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}.]+/gu, '-')
    .replaceAll(/^[-.]+|[-.]+$/gu, '');
  if (name === '') return 'draft.md';
  return /\.[a-z0-9]{1,8}$/u.test(name) ? name : `${name}.md`;
}
