import { useEffect } from 'react';
import type { ReactElement } from 'react';
import type { OpenConversation } from '../../conversation/open-conversation.ts';
import { useRested } from '../../stores/use-rested.ts';
import { usePart } from '../../stores/use-part.ts';
import { useStore } from '../../stores/use-store.ts';
import { IconButton } from '../../ui/IconButton.tsx';
import { useMedia } from '../../ui/use-media.ts';
import { MenuButton } from '../../ui/floating/MenuButton.tsx';
import { useWorkHost } from '../../work/work-host.ts';
import { useTextEditor } from '../use-text-editor.ts';
import { WritingArea } from '../WritingArea.tsx';
import { ChangesOfOthers } from './ChangesOfOthers.tsx';
import { removeDraft, saveText } from './draft-actions.ts';
import { nameOfText, openDraft, useDrafts } from './drafts.ts';
import type { Draft } from './drafts.ts';
import { noteSeen } from './seen-drafts.ts';
import '../presence/presence.css';
import './drafts.css';

/** The draft that its reader has opened, beside the timeline. */
export function DraftPane({ conversation }: { conversation: OpenConversation }): ReactElement | null {
  const open = useStore(openDraft);
  const drafts = useDrafts(conversation);
  const draft = drafts.find(({ block }) => block === open);
  if (draft === undefined) return null;
  return <OpenDraft key={draft.block} conversation={conversation} draft={draft} />;
}

function OpenDraft({ conversation, draft }: { conversation: OpenConversation; draft: Draft }): ReactElement {
  const host = useWorkHost();
  const { block } = draft;
  const title = useTitle(conversation, draft);
  const close = (): void => {
    openDraft.set(undefined);
    host.focusComposer();
  };
  const editor = useTextEditor({
    conversation,
    block,
    kind: 'prose',
    label: 'Draft',
    hasLineNumbers: true,
    takesFocus: true,
    keys: { 'Mod-Enter': host.focusComposer, Escape: host.focusComposer },
  });
  useSeen(conversation, block);
  useInsteadOfInspector();
  return (
    <aside className="draft-pane" aria-label="Draft">
      <header className="draft-head">
        <h2 className="cut" title={title}>
          {title}
        </h2>
        <span className="grow" />
        <IconButton icon="expand" label="Show it alone" onClick={() => host.openText(conversation.root, block)} />
        <MenuButton
          label="More"
          items={() => [
            { label: 'Save as a file', icon: 'download', run: () => saveText(conversation, { block, title }) },
            {
              label: 'Remove the draft',
              icon: 'trash',
              isDangerous: true,
              run: () => host.attempt(() => removeDraft(host, conversation.root, { ...draft, title })),
            },
          ]}
        />
        <IconButton icon="close" label="Close the draft" onClick={close} />
      </header>
      <ChangesOfOthers conversation={conversation} block={block} />
      <div className="writing draft-body">
        <WritingArea conversation={conversation} block={block} editor={editor} />
      </div>
    </aside>
  );
}

/** Notes what the reader has in front of them, until it is closed. */
function useSeen(conversation: OpenConversation, block: string): void {
  const version = useRested(conversation.watch.block(block), 400)?.version ?? 1;
  useEffect(() => noteSeen(block, version), [block, version]);
  useEffect(
    () => () => {
      const left = conversation.replica.block(block)?.version;
      if (left !== undefined) noteSeen(block, left);
    },
    [conversation, block],
  );
}

/** Names a draft by its title, else by its first words as they are now. */
function useTitle(conversation: OpenConversation, { node, block, title }: Draft): string {
  const known = usePart(conversation.watch.node(node), (state) => state?.title);
  const text = useRested(conversation.watch.text(block), 250);
  return known ?? (text === undefined ? title : nameOfText(text));
}

/** Lets the draft take the place of the inspector where both would leave no room for the conversation. */
function useInsteadOfInspector(): void {
  const { hasInspector } = useWorkHost();
  const isWide = useMedia('(min-width: 1640px)');
  useEffect(() => {
    if (isWide) return undefined;
    hasInspector.set(false);
    return hasInspector.subscribe(() => {
      if (hasInspector.getSnapshot()) openDraft.set(undefined);
    });
  }, [isWide, hasInspector]);
}
