import type { ListedRoot } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { nameOf } from './navigator-rows.ts';

type Named = Pick<ListedRoot, 'id' | 'title' | 'opening'>;

/** Deletes a conversation; that can be taken back. */
export async function removeConversation(loom: Loom, item: Named): Promise<void> {
  // The offer to undo is shown outside of the drawer.
  loom.isNavigatorOpen.set(false);
  const place = loom.place.getSnapshot();
  await loom.away.remove([{ id: item.id, name: nameOf(item) }]);
  if (place.name === 'conversation' && place.root === item.id) loom.go({ name: 'new' });
}

export async function restoreConversation(loom: Loom, { id }: Pick<Named, 'id'>): Promise<void> {
  await loom.ask('root.restore', { root: id });
}

/** Tags as they are written in a field: words between commas, each once. */
export function readTags(text: string): string[] {
  const words = text.split(',').map((word) => word.trim().replaceAll(/\s+/gu, ' '));
  return [...new Set(words)].filter((word) => word !== '');
}
