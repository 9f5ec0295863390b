import { messageWords } from './block-words.ts';
import { pathTo } from './branches.ts';
import type { Shape } from './branches.ts';
import type { OpenConversation } from './open-conversation.ts';

type Named = Pick<OpenConversation, 'replica' | 'shape'>;

/**
 * A branch in a few words: the last bookmark or title since it parted from the others, else how it began there. Of several that began with the
 * same words each says which it is.
 */
export function branchName(conversation: Named, leaf: string): string {
  const { replica, shape: store } = conversation;
  const shape = store.getSnapshot();
  const own = ownPath(shape, leaf);
  const names = own.map((id) => replica.root.bookmarks[id] || shape.nodes.get(id)?.title || '');
  const name = names.findLast((one) => one !== '');
  if (name !== undefined) return name;
  const head = own[0] ?? '';
  const words = wordsOf(conversation, head);
  if (words === undefined) return 'Another branch';
  const beside = shape.children.get(shape.nodes.get(head)?.parent ?? '') ?? [];
  const alike = beside.filter((id) => wordsOf(conversation, id) === words);
  return alike.length < 2 ? words : `${words} (${alike.indexOf(head) + 1} of ${alike.length})`;
}

/** The message with which a branch parts from the others; its words are its name, once they are loaded. */
export function branchHead({ shape }: Named, leaf: string): string | undefined {
  return ownPath(shape.getSnapshot(), leaf)[0];
}

/** The messages of a branch alone. */
function ownPath(shape: Shape, leaf: string): string[] {
  const path = pathTo(shape, leaf);
  const isHead = (id: string): boolean => (shape.children.get(shape.nodes.get(id)?.parent ?? '')?.length ?? 0) > 1;
  return path.slice(Math.max(0, path.findLastIndex(isHead)));
}

function wordsOf({ replica }: Named, id: string): string | undefined {
  const node = replica.nodes.get(id);
  return node === undefined ? undefined : messageWords(node) || 'Branch';
}
