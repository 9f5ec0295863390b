import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { useLoom } from '../../app/loom-context.ts';
import { MenuButton } from '../../ui/floating/MenuButton.tsx';
import { later } from '../../ui/later.tsx';
import { removeConversation } from '../conversation-actions.ts';
import { nameOf } from '../navigator-rows.ts';

const RenameDialog = later(async () => (await import('../RenameDialog.tsx')).RenameDialog, {
  takesKeys: true,
});
const TagsDialog = later(async () => (await import('../TagsDialog.tsx')).TagsDialog, {
  takesKeys: true,
});
const MoveDialog = later(async () => (await import('../MoveDialog.tsx')).MoveDialog, {
  takesKeys: true,
});

/** The actions on a conversation of the list. */
export function ConversationMenu({ item }: { item: ListedRoot }): ReactElement {
  const loom = useLoom();
  const { attempt, away, exporting, isNavigatorOpen, pins, workspace } = loom;
  const [asks, setAsks] = useState<'title' | 'tags' | 'project'>();
  const close = (): void => setAsks(undefined);
  const acted = [{ id: item.id, name: nameOf(item) }];
  const leave = (work: () => Promise<void>) => (): void => {
    // The offer to undo is shown outside of the drawer.
    isNavigatorOpen.set(false);
    attempt(work);
  };
  const isArchived = item.archived === true;
  const items = () => [
    { label: 'Rename…', icon: 'edit' as const, keys: 'F2', run: () => setAsks('title') },
    {
      label: pins.has(item.id) ? 'Unpin' : 'Pin',
      icon: 'pin' as const,
      keys: '*',
      run: () => attempt(() => pins.toggle([item.id])),
    },
    {
      label: isArchived ? 'Bring back' : 'Archive',
      icon: 'archive' as const,
      keys: '#',
      run: leave(() => (isArchived ? away.unarchive(acted) : away.archive(acted))),
    },
    { label: 'Move…', icon: 'folder' as const, run: () => setAsks('project') },
    { label: 'Tags…', icon: 'tag' as const, run: () => setAsks('tags') },
    { label: 'Share…', icon: 'globe' as const, run: () => workspace.dialog.set({ what: 'share', root: item.id }) },
    { label: 'Export…', icon: 'download' as const, run: () => exporting.set({ root: item.id }) },
    {
      label: 'Look for secrets…',
      icon: 'shield' as const,
      run: () => workspace.dialog.set({ what: 'secrets', root: item.id }),
    },
    {
      label: 'Delete',
      icon: 'trash' as const,
      isDangerous: true,
      isApart: true,
      run: () => attempt(() => removeConversation(loom, item)),
    },
  ];
  return (
    <span className="conversation-menu">
      <MenuButton label={`Actions for ${nameOf(item)}`} items={items} isSmall />
      <button type="button" hidden data-rename tabIndex={-1} onClick={() => setAsks('title')} />
      {asks === 'title' && <RenameDialog item={item} onClose={close} />}
      {asks === 'tags' && <TagsDialog item={item} onClose={close} />}
      {asks === 'project' && <MoveDialog items={acted} onClose={close} />}
    </span>
  );
}
