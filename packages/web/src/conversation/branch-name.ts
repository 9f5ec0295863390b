import { messageWords } from './block-words.ts';
import { pathTo } from './branches.ts';
import type { OpenConversation } from './open-conversation.ts';

/** A branch in a few words: the last bookmark or title since it parted from the others, else how it began there. */
export function branchName({ replica, shape: store }: OpenConversation, leaf: string): string {
  const shape = store.getSnapshot();
  const path = pathTo(shape, leaf);
  const isHead = (id: string): boolean => (shape.children.get(shape.nodes.get(id)?.parent ?? '')?.length ?? 0) > 1;
  const own = path.slice(Math.max(0, path.findLastIndex(isHead)));
  const names = own.map((id) => replica.root.bookmarks[id] || shape.nodes.get(id)?.title || '');
  const name = names.findLast((one) => one !== '');
  const first = replica.nodes.get(own[0] ?? '');
  return name ?? (first === undefined ? 'Another branch' : messageWords(first) || 'Branch');
}
