import { memo, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { messageWords } from '../conversation/block-words.ts';
import { markOf } from '../conversation/who.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { shortTime } from '../words/times.ts';
import { mostGuides } from './outline-rows.ts';
import type { Guide, OutlineRow } from './outline-rows.ts';
import type { OutlineLine } from './outline-words.ts';

interface TreeRowProps {
  row: OutlineRow;
  line: OutlineLine | undefined;
  isCursor: boolean;
  onPick: (id: string) => void;
  onGo: (id: string) => void;
  onToggle: (id: string, isOpen: boolean) => void;
}

/** A message as one line of the tree. */
export const TreeRow = memo(function TreeRow(props: TreeRowProps): ReactElement | null {
  const { row, line, isCursor, onPick, onGo, onToggle } = props;
  const { id, guides, isActive, isOpen, level } = row;
  const { workspace } = useLoom();
  const conversation = useConversation();
  const words = useWords(id) ?? line?.words ?? '…';
  const isMarked = useStore(workspace.marked).includes(id);
  const node = conversation.replica.outline.get(id);
  const label = conversation.replica.root.bookmarks[id];
  if (node === undefined) return null;
  const name = ['tree-row', isActive && 'tree-row-active', isCursor && 'tree-row-current'].filter(Boolean).join(' ');
  return (
    <div
      id={`tree-${id}`}
      className={name}
      role="treeitem"
      aria-level={level}
      aria-selected={isCursor}
      aria-expanded={isOpen}
      onClick={() => {
        onPick(id);
        onGo(id);
      }}
    >
      {level > mostGuides && <span className="tree-level">{level}</span>}
      {guides.map((guide, index) => (
        <span key={index} className={guideName(guide)} />
      ))}
      <span
        className="tree-fold"
        aria-hidden="true"
        onClick={(event) => {
          if (isOpen === undefined) return;
          event.stopPropagation();
          onToggle(id, !isOpen);
        }}
      >
        {isOpen !== undefined && <Icon name={isOpen ? 'down' : 'right'} small />}
      </span>
      <span
        className={`mark ${markOf(node)}${line?.state === 'waiting' || node.tool === 'waiting' ? ' mark-waiting' : ''}`}
      />
      <span className="cut grow">{words === '' ? '(empty)' : words}</span>
      {isMarked && <span className="tree-label tree-label-marked">compare</span>}
      {label !== undefined && <span className="tree-label">{label === '' ? 'bookmark' : label}</span>}
      <span className="tree-extra">{extraOf(row, node)}</span>
    </div>
  );
});

/** How a message begins, if it is loaded: drawn again only when that changes, not with each word that is added to its end. */
function useWords(id: string): string | undefined {
  const watched = useConversation().watch.node(id);
  return useSyncExternalStore(watched.subscribe, () => {
    const node = watched.getSnapshot();
    return node === undefined ? undefined : messageWords(node);
  });
}

/** The one thing to say at the right. */
function extraOf({ branches, hidden, tools }: OutlineRow, { time, tool }: { time: number; tool?: string }): string {
  if (tool === 'waiting') return 'waits';
  if (tool === 'running') return 'running';
  if (tool === 'error' || tool === 'denied' || tool === 'interrupted') return tool === 'error' ? 'failed' : tool;
  if (branches > 1) return count(branches, 'branch', 'branches');
  if (hidden > 0) return count(hidden, 'message');
  if (tools > 0) return count(tools, 'tool');
  return shortTime(time, Date.now());
}

function guideName({ kind, active }: Guide): string {
  const colour = active === 'no' ? '' : active === 'here' ? ' guide-active' : ' guide-passing';
  return `guide guide-${kind}${colour}`;
}
