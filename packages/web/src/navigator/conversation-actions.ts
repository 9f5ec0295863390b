import type { ListedRoot } from '@loom/kernel';
import type { Loom } from '../app/loom.ts';
import { nameOf } from './navigator-rows.ts';

type Named = Pick<ListedRoot, 'id' | 'title' | 'opening'>;

/** Deletes a conversation; that can be taken back. */
export async function removeConversation(loom: Loom, item: Named): Promise<void> {
  await loom.ask('root.remove', { root: item.id });
  // The offer to undo is shown outside of the drawer.
  loom.isNavigatorOpen.set(false);
  const place = loom.place.getSnapshot();
  if (place.name === 'conversation' && place.root === item.id) loom.go({ name: 'new' });
  loom.notices.tell(`Deleted “${nameOf(item)}”.`, {
    label: 'Undo',
    run: () => loom.attempt(() => restoreConversation(loom, item)),
  });
}

/** Takes a conversation out of the list; it is still found by searches. */
export async function archiveConversation(loom: Loom, item: Named): Promise<void> {
  await loom.ask('root.mark', { root: item.id, archived: true });
  loom.isNavigatorOpen.set(false);
  loom.notices.tell(`Archived “${nameOf(item)}”.`, {
    label: 'Undo',
    run: () => loom.attempt(() => unarchiveConversation(loom, item.id)),
  });
}

export async function unarchiveConversation(loom: Loom, root: string): Promise<void> {
  await loom.ask('root.mark', { root, archived: false });
}

export async function restoreConversation(loom: Loom, { id }: Pick<Named, 'id'>): Promise<void> {
  await loom.ask('root.restore', { root: id });
}

/** Tags as they are written in a field: words between commas, each once. */
export function readTags(text: string): string[] {
  const words = text.split(',').map((word) => word.trim().replaceAll(/\s+/gu, ' '));
  return [...new Set(words)].filter((word) => word !== '');
}
