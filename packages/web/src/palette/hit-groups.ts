import type { ListedRoot } from '@loom/kernel';
import { nameOf } from '../navigator/navigator-rows.ts';
import type { Hit } from './block-searches.ts';

/** The results in one conversation. */
export interface HitGroup {
  readonly root: string;
  readonly name: string;
  readonly hits: readonly Hit[];
}

/** Groups hits by conversation, in the order of the best of each. */
export function conversationsOf(hits: readonly Hit[], listed: readonly ListedRoot[]): HitGroup[] {
  return [...Map.groupBy(hits, ({ root }) => root)].map(([root, own]) => ({
    root,
    name: titleOf(root, own, listed),
    hits: own,
  }));
}

/** Returns the name of a conversation; if the list has not loaded it, the name is known once the block is. */
function titleOf(root: string, [first]: readonly Hit[], listed: readonly ListedRoot[]): string {
  const item = listed.find(({ id }) => id === root);
  if (item !== undefined) return nameOf(item);
  const place = first?.place;
  if (place === undefined) return '…';
  return nameOf({ ...(place.root_title === undefined ? {} : { title: place.root_title }), opening: place.opening });
}
