import type { ReactElement } from 'react';
import { useLoom } from '../../app/loom-context.ts';
import { Icon } from '../../ui/Icon.tsx';
import { IconButton } from '../../ui/IconButton.tsx';
import type { MenuItem } from '../../ui/floating/Menu.tsx';
import { MenuButton } from '../../ui/floating/MenuButton.tsx';
import { useMay } from '../../work/use-may.ts';
import { grouped } from '../../words/amounts.ts';
import type { NavigatorGroup } from '../navigator-rows.ts';
import { GroupMark } from './StateMark.tsx';

interface GroupRowProps {
  group: NavigatorGroup;
  isOpen: boolean;
  onToggle: () => void;
}

const icons = { project: 'folder', none: 'message', archived: 'archive' } as const;
const stateWords = {
  waiting: 'One waits for you',
  running: 'One is running',
  failed: 'One has failed',
  done: '',
} as const;

/** The head of a group of conversations. A folded one shows its strongest mark. */
export function GroupRow({ group, isOpen, onToggle }: GroupRowProps): ReactElement {
  const { beginning, go, isNavigatorOpen, workspace } = useLoom();
  const { name, kind, count, directory, state } = group;
  const mayBegin = useMay('folder.list') === true && directory !== undefined;
  const begin = (): void => {
    beginning.folder.set(directory ?? '');
    isNavigatorOpen.set(false);
    go({ name: 'new' });
  };
  const items = (): MenuItem[] => [
    ...(mayBegin ? [{ label: 'New conversation', icon: 'plus' as const, run: begin }] : []),
    {
      label: 'Show all of the project',
      icon: 'list',
      run() {
        isNavigatorOpen.set(false);
        go({ name: 'conversations', filters: new URLSearchParams({ project: group.id }).toString() });
      },
    },
    {
      label: 'Settings of the project…',
      icon: 'settings',
      run: () => workspace.dialog.set({ what: 'project', project: group.id, name }),
    },
  ];
  return (
    <div className="group-row" title={directory}>
      <button type="button" className="group-button" aria-expanded={isOpen} onClick={onToggle} data-group={group.id}>
        <Icon name={isOpen ? 'down' : 'right'} small />
        <Icon name={icons[kind]} />
        <span className="cut grow">{name}</span>
        {!isOpen && <GroupMark state={state} words={stateWords[state]} />}
        <span className="group-count figures">{grouped(count)}</span>
      </button>
      {kind === 'project' && (
        <span className="group-action">
          <MenuButton label={`More about ${name}`} items={items} isSmall />
          {mayBegin && <IconButton icon="plus" label={`New conversation in ${name}`} isSmall onClick={begin} />}
        </span>
      )}
    </div>
  );
}
