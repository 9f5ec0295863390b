import { memo, useMemo, useSyncExternalStore } from 'react';
import type { ReactElement } from 'react';
import type { NodeState } from '@loom/kernel';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { LineCounts } from '../blocks/changes/LineCounts.tsx';
import { factOf } from '../blocks/tools/tool-facts.ts';
import type { ToolFact } from '../blocks/tools/tool-facts.ts';
import { argumentWords, toolLine } from '../blocks/tools/tool-kinds.ts';
import { viewsOf } from '../blocks/tools/tool-views.ts';
import { messageWords, plainLine } from '../conversation/block-words.ts';
import { callOf } from '../conversation/call-of.ts';
import { markOf, nameOf, roleName } from '../conversation/who.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { exactTime, timeAmong } from '../words/times.ts';
import { mostGuides } from './outline-rows.ts';
import type { Guide, OutlineRow } from './outline-rows.ts';
import type { OutlineLine } from './outline-words.ts';

interface TreeRowProps {
  row: OutlineRow;
  line: OutlineLine | undefined;
  isWide: boolean;
  /** The time of the last message of all. */
  latest: number;
  isCursor: boolean;
  onPick: (id: string) => void;
  onGo: (id: string) => void;
  onToggle: (id: string, isOpen: boolean) => void;
}

/** A message as one line of the tree. */
export const TreeRow = memo(function TreeRow(props: TreeRowProps): ReactElement | null {
  const { row, line, isWide, latest, isCursor, onPick, onGo, onToggle } = props;
  const { id, guides, isActive, isOpen, level } = row;
  const { workspace } = useLoom();
  const conversation = useConversation();
  const words = useWords(id) ?? (line === undefined ? '…' : line.words);
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
      <Mark id={id} role={node.role} isWaiting={line?.state === 'waiting' || node.tool === 'waiting'} />
      <span className="cut grow">{words === '' ? '(empty)' : words}</span>
      {isMarked && <span className="tree-label tree-label-marked">compare</span>}
      {label !== undefined && <span className="tree-label">{label === '' ? 'bookmark' : label}</span>}
      <Extra row={row} id={id} tool={node.tool} time={isWide ? undefined : timeAmong(node.time, latest)} />
      {isWide && <Author id={id} line={line} role={node.role} />}
      {isWide && (
        <time className="tree-time" dateTime={new Date(node.time).toISOString()} title={exactTime(node.time)}>
          {timeAmong(node.time, latest)}
        </time>
      )}
    </div>
  );
});

/** The shape for the author of a message; if it is not loaded, as far as the outline says. */
function Mark({ id, role, isWaiting }: { id: string; role: NodeState['role']; isWaiting: boolean }): ReactElement {
  const watched = useConversation().watch.node(id);
  const mark = useSyncExternalStore(watched.subscribe, () => markOf(watched.getSnapshot() ?? { role }));
  return <span className={`mark ${mark}${isWaiting ? ' mark-waiting' : ''}`} />;
}

/** Returns the opening words of a message, if it is loaded: draws again only when they change, not with each word that is added to its end. */
function useWords(id: string): string | undefined {
  const { watch, replica, folder } = useConversation();
  const watched = watch.node(id);
  return useSyncExternalStore(watched.subscribe, () => {
    const node = watched.getSnapshot();
    if (node === undefined) return undefined;
    const call = callOf(replica.nodes, node);
    if (call === undefined) return messageWords(node);
    const line = toolLine(call.name, call.parameters, call.arguments);
    return plainLine(`${line.verb} ${argumentWords(line, folder)}`);
  });
}

/** The author of a message; if it is not loaded, as far as the outline says. */
function Author({
  id,
  line,
  role,
}: Pick<TreeRowProps, 'line'> & { id: string; role: NodeState['role'] }): ReactElement {
  const node = useStore(useConversation().watch.node(id));
  const model = line?.model?.slice(line.model.indexOf(':') + 1);
  const name = node === undefined ? (model ?? roleName(role)) : nameOf(node);
  return <span className="tree-who cut">{name}</span>;
}

interface ExtraProps {
  row: OutlineRow;
  id: string;
  tool: string | undefined;
  /** The time, if it has no other place. */
  time: string | undefined;
}

/** The one thing to say at the right. */
function Extra({ row, id, tool, time }: ExtraProps): ReactElement {
  const fact = useFact(id);
  const state = tool === undefined ? undefined : stateWords[tool];
  if (state !== undefined) return <span className={`tree-extra ${state.tone}`}>{state.words}</span>;
  if (fact?.kind === 'lines') {
    return (
      <span className="tree-extra">
        <LineCounts added={fact.added} deleted={fact.deleted} />
      </span>
    );
  }
  if (fact !== undefined)
    return <span className={`tree-extra${fact.isBad ? ' tree-extra-bad' : ''}`}>{fact.text}</span>;
  return <span className="tree-extra">{countOf(row) ?? time ?? ''}</span>;
}

/** Returns the outcome of a tool call, if its message is loaded. */
function useFact(id: string): ToolFact | undefined {
  const { watch, replica } = useConversation();
  const node = useStore(watch.node(id));
  return useMemo(() => {
    const call = node === undefined ? undefined : callOf(replica.nodes, node);
    return call === undefined ? undefined : factOf(viewsOf(call, node));
  }, [node, replica]);
}

const stateWords: Readonly<Record<string, { words: string; tone: string } | undefined>> = {
  waiting: { words: 'waits for you', tone: 'tree-extra-waiting' },
  running: { words: 'running', tone: 'tree-extra-running' },
  error: { words: 'failed', tone: 'tree-extra-bad' },
  denied: { words: 'denied', tone: '' },
  interrupted: { words: 'interrupted', tone: '' },
};

function countOf({ branches, hidden, tools }: OutlineRow): string | undefined {
  if (branches > 1) return count(branches, 'branch', 'branches');
  if (hidden > 0) return count(hidden, 'message');
  return tools > 0 ? count(tools, 'tool') : undefined;
}

function guideName({ kind, active }: Guide): string {
  const colour = active === 'no' ? '' : active === 'here' ? ' guide-active' : ' guide-passing';
  return `guide guide-${kind}${colour}`;
}
