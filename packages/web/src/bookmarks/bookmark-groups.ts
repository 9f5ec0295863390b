import type { ResultOf } from '@loom/kernel';
import { nameOf } from '../navigator/navigator-rows.ts';

export type Bookmark = ResultOf<'bookmark.list'>['items'][number];

export interface BookmarkGroup {
  readonly root: string;
  readonly name: string;
  readonly marks: readonly Bookmark[];
}

/** Bookmarks by conversation; conversations in the order of a list, those that it does not have at the end. */
export function bookmarkGroups(marks: readonly Bookmark[], order: readonly string[]): BookmarkGroup[] {
  const groups = Map.groupBy(marks, ({ root }) => root);
  const rank = new Map(order.map((root, index) => [root, index]));
  return [...groups]
    .map(([root, own]) => {
      const [{ root_title: title, opening } = { root_title: undefined, opening: '' }] = own;
      return { root, name: nameOf({ ...(title === undefined ? {} : { title }), opening }), marks: own };
    })
    .sort((one, other) => (rank.get(one.root) ?? order.length) - (rank.get(other.root) ?? order.length));
}
