import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { goToMessage } from '../branching/go-to-message.ts';
import { useBringCommands } from '../keys/use-commands.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { TreeRow } from './TreeRow.tsx';
import { stepInTree } from './tree-steps.ts';
import type { TreeStep } from './tree-steps.ts';
import { useOutline } from './use-outline.ts';

/** The height of a line; the style has the same. */
const rowHeight = 24;

/** The tree of the conversation, one line for each message; only the lines near the screen are in the document. */
export function TreeView(): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const [filter, setFilter] = useState('');
  const { rows, lines, toggle, matches } = useOutline(filter);
  const [cursor, setCursor] = useTreeCursor();
  const scroller = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const field = useRef<HTMLInputElement>(null);
  const at = rows.findIndex(({ id }) => id === cursor);
  const isWanted = useStore(loom.workspace.isTreeWanted);
  useEffect(() => {
    if (!isWanted) return;
    scroller.current?.focus();
    loom.workspace.isTreeWanted.set(false);
  }, [isWanted, loom]);
  useLayoutEffect(() => {
    if (at >= 0) list.current?.scrollToIndex(at, { align: 'nearest' });
  }, [at]);
  const step = (which: TreeStep) => () => {
    const next = stepInTree(rows, at, which);
    if (next.toggle !== undefined) toggle(next.toggle.id, next.toggle.isOpen);
    if (next.id !== undefined) setCursor(next.id);
  };
  const withCursor = (act: (id: string) => void) => () => {
    const row = rows[at];
    if (row !== undefined) act(row.id);
  };
  const go = (id: string): void => goToMessage(loom, conversation, id);
  useBringCommands({
    'tree-down': step('down'),
    'tree-up': step('up'),
    'tree-left': step('left'),
    'tree-right': step('right'),
    'tree-first': step('first'),
    'tree-last': step('last'),
    'tree-go': withCursor(go),
    'tree-label': withCursor((id) => loom.workspace.naming.set({ what: 'message', id })),
    'tree-bookmark': withCursor((id) => loom.workspace.naming.set({ what: 'bookmark', id })),
    'tree-mark': withCursor((id) => loom.workspace.mark(id)),
    'tree-filter': () => field.current?.focus(),
    tree: () => scroller.current?.focus(),
  });
  return (
    <div className="tree-view" data-keys="tree">
      <label className="field tree-filter">
        <Icon name="filter" />
        <input
          ref={field}
          type="search"
          aria-label="Filter the tree"
          placeholder="Filter"
          value={filter}
          onChange={(event) => setFilter(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape' && event.key !== 'Enter' && event.key !== 'ArrowDown') return;
            event.preventDefault();
            if (event.key === 'Escape') setFilter('');
            scroller.current?.focus();
          }}
        />
        <kbd>/</kbd>
      </label>
      {matches !== undefined && (
        <p className="tree-note" role="status">
          {matches === 0 ? `No message begins with or is named “${filter.trim()}”.` : count(matches, 'message')}
        </p>
      )}
      <div
        ref={scroller}
        className="tree scroll"
        role="tree"
        aria-label="Messages of this conversation"
        aria-activedescendant={at >= 0 ? `tree-${cursor ?? ''}` : undefined}
        tabIndex={0}
      >
        <Virtualizer ref={list} scrollRef={scroller} itemSize={rowHeight} bufferSize={300} data={rows}>
          {(row) => (
            <TreeRow
              key={row.id}
              row={row}
              line={lines.get(row.id)}
              isCursor={row.id === cursor}
              onPick={setCursor}
              onGo={go}
              onToggle={toggle}
            />
          )}
        </Virtualizer>
      </div>
    </div>
  );
}

/** The line that keys act on: it follows the block that is current in the timeline. */
function useTreeCursor(): [string | undefined, (id: string) => void] {
  const { current } = useLoom();
  const conversation = useConversation();
  const block = useStore(current);
  const path = useStore(conversation.path);
  const [cursor, setCursor] = useState<string | undefined>(path.at(-1));
  useEffect(() => {
    const node = block === undefined ? undefined : conversation.nodeOfBlock(block);
    setCursor(node ?? conversation.tip);
  }, [block, path, conversation]);
  return [cursor, setCursor];
}
