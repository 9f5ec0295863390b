import { useRef } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu } from '../../ui/floating/Menu.tsx';
import { useOpen } from '../../ui/floating/use-open.ts';
import { useWorkHost } from '../../work/work-host.ts';
import { beginDraft } from './draft-actions.ts';
import { openDraft, useDrafts } from './drafts.ts';

/** Opens the drafts of a conversation, and begins one. */
export function DraftsButton({ conversation }: { conversation: OpenConversation }): ReactElement {
  const host = useWorkHost();
  const drafts = useDrafts(conversation);
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  const items = drafts.map(({ block, title }, index) => ({
    label: drafts.some((other, at) => at < index && other.title === title) ? `${title} (${index + 1})` : title,
    icon: 'file' as const,
    run: () => openDraft.set(block),
  }));
  return (
    <>
      <IconButton
        ref={button}
        icon="file"
        label={drafts.length === 0 ? 'Drafts' : `Drafts: ${drafts.length}`}
        hasMenu
        isOpen={isOpen}
        onClick={toggle}
      />
      {isOpen && (
        <Menu
          label="Drafts"
          anchor={button.current}
          edge="right"
          items={[
            ...items,
            {
              label: 'New draft',
              icon: 'plus',
              isApart: items.length > 0,
              run: () => host.attempt(() => beginDraft(host, conversation.root)),
            },
          ]}
          onClose={close}
        />
      )}
    </>
  );
}
