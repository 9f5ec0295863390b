import { useEffect } from 'react';
import type { ReactElement } from 'react';
import { compareWithLast } from '../branching/branch-actions.ts';
import { KindsMenu } from '../blocks/kinds/KindsMenu.tsx';
import { branchHead, branchName } from '../conversation/branch-name.ts';
import { senderIn } from '../conversation/origin.ts';
import { keyOf } from '../keys/key-map.ts';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { FolderCrumb } from '../work/folders/FolderCrumb.tsx';
import { later } from '../ui/later.tsx';
import { useConversation, useLoom } from './loom-context.ts';
import { useConversationTitle } from './use-conversation-title.ts';

const Together = later(async () => (await import('../writing/Together.tsx')).Together);

/** The conversation's name, the others who are here, and the panels to show beside it. */
export function TopBar({ isTree = false }: { isTree?: boolean }): ReactElement {
  const loom = useLoom();
  const { preferences, workspace } = loom;
  const conversation = useConversation();
  const { root } = useStore(conversation.watch.whole);
  const hasInspector = useStore(preferences.hasInspector);
  const title = useConversationTitle();
  const sender = senderIn(root.config);
  const { root: id } = conversation;
  const showTree = (): void => loom.go(isTree ? { name: 'conversation', root: id } : { name: 'tree', root: id });
  return (
    <header className="top-bar">
      <NavigatorButton />
      <h1 className="cut">
        <button
          type="button"
          className="title-button cut"
          title="Title and tags of the conversation"
          onClick={() => workspace.naming.set({ what: 'conversation', id: conversation.root })}
        >
          {title === '' ? 'New conversation' : title}
        </button>
      </h1>
      {root.archived === true && (
        <>
          <span className="aside not-narrow">Archived</span>
          <button
            type="button"
            className="text-button"
            title="It is archived: the list leaves it out"
            onClick={() => loom.attempt(() => loom.away.unarchive([{ id, name: title }]))}
          >
            Unarchive
          </button>
        </>
      )}
      {sender !== undefined && (
        <PlaceLink place={{ name: 'conversation', ...sender }} className="top-bar-sender">
          Sub-agent<span className="unseen">: go to the call that sent it out</span>
        </PlaceLink>
      )}
      {isTree ? <span className="top-bar-branch cut">Tree</span> : <BranchCrumb />}
      <span className="grow" />
      {!isTree && (
        <span className="not-narrow">
          <FolderCrumb />
        </span>
      )}
      {!isTree && <Together conversation={conversation} />}
      {!isTree && <KindsMenu />}
      <IconButton icon="tree" label="Tree" keys={keyOf('tree')} isPressed={isTree} onClick={showTree} />
      <span className="not-narrow">
        <IconButton icon="compare" label="Compare branches" onClick={() => compareWithLast(loom, conversation)} />
      </span>
      {!isTree && (
        <IconButton
          icon="inspector"
          label="Inspector"
          keys={keyOf('inspector')}
          isPressed={hasInspector}
          onClick={() => preferences.hasInspector.set(!hasInspector)}
        />
      )}
    </header>
  );
}

/** Names the branch on display if there are several. */
function BranchCrumb(): ReactElement | null {
  const conversation = useConversation();
  const { shape, path } = useStore(conversation.overview);
  const tip = path.at(-1);
  const head = tip === undefined ? undefined : branchHead(conversation, tip);
  const loaded = useStore(conversation.watch.node(head ?? ''));
  const isMissing = head !== undefined && loaded === undefined && shape.forks > 0;
  useEffect(() => {
    if (isMissing) conversation.want(head);
  }, [isMissing, head, conversation]);
  // It has no name before the path is known.
  if (tip === undefined || shape.forks === 0 || isMissing) return null;
  return <span className="top-bar-branch cut">{branchName(conversation, tip)}</span>;
}

/** Opens the list of conversations on screens too narrow to show it. */
export function NavigatorButton(): ReactElement {
  const { isNavigatorOpen } = useLoom();
  return (
    <span className="only-narrow">
      <IconButton icon="menu" label="Conversations" onClick={() => isNavigatorOpen.set(true)} />
    </span>
  );
}
