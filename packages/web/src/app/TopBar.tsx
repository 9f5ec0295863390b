import type { ReactElement } from 'react';
import { compareWithLast } from '../branching/branch-actions.ts';
import { KindsMenu } from '../blocks/kinds/KindsMenu.tsx';
import { oneLine } from '../conversation/block-words.ts';
import { branchName } from '../conversation/branch-name.ts';
import { keyOf } from '../keys/key-map.ts';
import { useListedRoot } from '../navigator/use-listed-root.ts';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { useConversation, useLoom } from './loom-context.ts';

/** The conversation's name, who else is here, and what can be shown beside it. */
export function TopBar({ isTree = false }: { isTree?: boolean }): ReactElement {
  const loom = useLoom();
  const { preferences, workspace } = loom;
  const conversation = useConversation();
  const { root } = useStore(conversation.watch.whole);
  const hasInspector = useStore(preferences.hasInspector);
  const listed = useListedRoot(conversation.root);
  const title = root.title ?? listed?.title ?? oneLine(listed?.opening ?? '');
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
      {isTree ? <span className="top-bar-branch cut">Tree</span> : <BranchCrumb />}
      <span className="grow" />
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

/** Which of several branches is shown. */
function BranchCrumb(): ReactElement | null {
  const conversation = useConversation();
  const { shape, path } = useStore(conversation.overview);
  const tip = path.at(-1);
  if (tip === undefined || shape.forks === 0) return null;
  return <span className="top-bar-branch cut">{branchName(conversation, tip)}</span>;
}

/** Opens the list of conversations where there is no room for it. */
export function NavigatorButton(): ReactElement {
  const { isNavigatorOpen } = useLoom();
  return (
    <span className="only-narrow">
      <IconButton icon="menu" label="Conversations" onClick={() => isNavigatorOpen.set(true)} />
    </span>
  );
}
