import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { markToCompare } from '../branching/branch-actions.ts';
import { goToMessage } from '../branching/go-to-message.ts';
import type { Shape } from '../conversation/branches.ts';
import { useBringCommands } from '../keys/use-commands.ts';
import { useStore } from '../stores/use-store.ts';
import { chooseMessage } from './choose-message.ts';
import { TreeRow } from './TreeRow.tsx';
import { stepInTree } from './tree-steps.ts';
import type { TreeStep } from './tree-steps.ts';
import type { Outline } from './use-outline.ts';

/** The heights of a line beside a conversation and on the page of the tree; the style has the same. */
const rowHeight = { narrow: 24, wide: 26 };

interface TreeListProps {
  outline: Outline;
  scroller: RefObject<HTMLDivElement | null>;
  field: RefObject<HTMLInputElement | null>;
  /** True on the page of the tree, where there is room for the author and time of a message. */
  isWide?: boolean;
}

/** The lines of a tree, walked by keys; only those near the screen are in the document. */
export function TreeList({ outline, scroller, field, isWide = false }: TreeListProps): ReactElement {
  const loom = useLoom();
  const conversation = useConversation();
  const { rows, lines, toggle } = outline;
  const [cursor, setCursor] = useTreeCursor();
  const shape = useStore(conversation.shape);
  const latest = useMemo(() => latestIn(shape), [shape]);
  const list = useRef<VirtualizerHandle>(null);
  const at = rows.findIndex(({ id }) => id === cursor);
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
  const choose = (id: string): void => loom.attempt(() => chooseMessage(loom, conversation, id));
  useBringCommands({
    'tree-down': step('down'),
    'tree-up': step('up'),
    'tree-left': step('left'),
    'tree-right': step('right'),
    'tree-first': step('first'),
    'tree-last': step('last'),
    'tree-go': withCursor(choose),
    'tree-show': withCursor((id) => goToMessage(loom, conversation, id)),
    'tree-label': withCursor((id) => loom.workspace.naming.set({ what: 'message', id })),
    'tree-bookmark': withCursor((id) => loom.workspace.naming.set({ what: 'bookmark', id })),
    'tree-mark': withCursor((id) => markToCompare(loom, conversation, id)),
    'tree-filter': () => field.current?.focus(),
  });
  return (
    <div
      ref={scroller}
      className={isWide ? 'tree tree-wide scroll' : 'tree scroll'}
      role="tree"
      aria-label="Messages of this conversation"
      aria-activedescendant={at >= 0 ? `tree-${cursor ?? ''}` : undefined}
      tabIndex={0}
    >
      <Virtualizer
        ref={list}
        scrollRef={scroller}
        itemSize={isWide ? rowHeight.wide : rowHeight.narrow}
        bufferSize={300}
        data={rows}
      >
        {(row) => (
          <TreeRow
            key={row.id}
            row={row}
            line={lines.get(row.id)}
            isWide={isWide}
            latest={latest}
            isCursor={row.id === cursor}
            onPick={setCursor}
            onGo={choose}
            onToggle={toggle}
          />
        )}
      </Virtualizer>
    </div>
  );
}

function latestIn({ nodes }: Shape): number {
  let latest = 0;
  for (const { time } of nodes.values()) latest = Math.max(latest, time);
  return latest;
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
