import { useEffect, useRef } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { agentName } from '../../conversation/agent-name.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { Menu } from '../../ui/floating/Menu.tsx';
import { useOpen } from '../../ui/floating/use-open.ts';
import { useWorkHost } from '../../work/work-host.ts';
import { beginDraft } from './draft-actions.ts';
import { openDraft, useDrafts } from './drafts.ts';
import type { Draft } from './drafts.ts';
import { useUnseenDrafts } from './seen-drafts.ts';
import './drafts.css';

/** Opens the drafts of a conversation, and begins one. */
export function DraftsButton({ conversation }: { conversation: OpenConversation }): ReactElement {
  const host = useWorkHost();
  const drafts = useDrafts(conversation);
  const button = useRef<HTMLButtonElement>(null);
  const { isOpen, toggle, close } = useOpen();
  const unseen = useUnseenDrafts(conversation, drafts, host.agent);
  useAnnounced(conversation, drafts);
  const nameOf = ({ block, title }: Draft, index: number): string => {
    const name = drafts.some((other, at) => at < index && other.title === title) ? `${title} (${index + 1})` : title;
    return unseen.includes(block) ? `${name} · changed` : name;
  };
  const items = drafts.map((draft, index) => ({
    label: nameOf(draft, index),
    icon: 'file' as const,
    run: () => openDraft.set(draft.block),
  }));
  const changed = unseen.length === 0 ? '' : `, ${unseen.length} changed`;
  return (
    <>
      <span className="drafts-button">
        <IconButton
          ref={button}
          icon="file"
          label={drafts.length === 0 ? 'Drafts' : `Drafts: ${drafts.length}${changed}`}
          hasMenu
          isOpen={isOpen}
          onClick={toggle}
        />
        {unseen.length > 0 && <span className="drafts-badge" />}
      </span>
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

/** Says that someone else has begun a draft, while the conversation is on display. */
function useAnnounced(conversation: OpenConversation, drafts: readonly Draft[]): void {
  const { agent: reader, tell } = useWorkHost();
  const known = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    const { replica } = conversation;
    if (replica.status !== 'live') return;
    const before = known.current;
    known.current = new Set(drafts.map(({ block }) => block));
    if (before === undefined) return;
    for (const { block, title } of drafts) {
      const agent = replica.block(block)?.agent;
      if (before.has(block) || agent === undefined || agent === reader) continue;
      tell(`${agentName(agent, reader)} began the draft “${title}”.`, {
        label: 'Open',
        run: () => openDraft.set(block),
      });
    }
  }, [conversation, drafts, reader, tell]);
}
