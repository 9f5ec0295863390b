import { useState } from 'react';
import type { ReactElement } from 'react';
import type { ListedRoot } from '@loom/kernel';
import { useLoom } from '../app/loom-context.ts';
import { MenuButton } from '../ui/floating/MenuButton.tsx';
import { later } from '../ui/later.tsx';
import { archiveConversation, removeConversation } from './conversation-actions.ts';
import { nameOf } from './navigator-rows.ts';

const RenameDialog = later(async () => (await import('./RenameDialog.tsx')).RenameDialog, {
  takesKeys: true,
});
const TagsDialog = later(async () => (await import('./TagsDialog.tsx')).TagsDialog, {
  takesKeys: true,
});

/** The actions on a conversation of the list. */
export function ConversationMenu({ item }: { item: ListedRoot }): ReactElement {
  const loom = useLoom();
  const [asks, setAsks] = useState<'title' | 'tags'>();
  const close = (): void => setAsks(undefined);
  const items = () => [
    { label: 'Rename…', icon: 'edit' as const, run: () => setAsks('title') },
    { label: 'Tags…', icon: 'tag' as const, run: () => setAsks('tags') },
    { label: 'Archive', icon: 'archive' as const, run: () => loom.attempt(() => archiveConversation(loom, item)) },
    {
      label: 'Delete',
      icon: 'trash' as const,
      isDangerous: true,
      isApart: true,
      run: () => loom.attempt(() => removeConversation(loom, item)),
    },
  ];
  return (
    <span className="conversation-menu">
      <MenuButton label={`Actions for ${nameOf(item)}`} items={items} isSmall />
      {asks === 'title' && <RenameDialog item={item} onClose={close} />}
      {asks === 'tags' && <TagsDialog item={item} onClose={close} />}
    </span>
  );
}
