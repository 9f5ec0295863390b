import { useMemo, useRef } from 'react';
import type { ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { useLoom } from '../app/loom-context.ts';
import { useStore } from '../stores/use-store.ts';
import { IconButton } from '../ui/IconButton.tsx';
import { useMinute } from '../ui/use-minute.ts';
import { useLate } from '../ui/use-late.ts';
import { grouped } from '../words/amounts.ts';
import { ConversationRow } from './row/ConversationRow.tsx';
import { GroupRow } from './row/GroupRow.tsx';
import { groupedRows, isGrouped, navigatorRows } from './navigator-rows.ts';
import type { NavigatorGroup, NavigatorRow } from './navigator-rows.ts';
import { useListKeys } from './use-list-keys.ts';
import { useWholeGroups } from './use-whole-groups.ts';

/** The distance from its end at which the list asks for more, in pixels. */
const near = 600;

/** The conversations by project, or by time while none has a project. Only those near the screen are in the document. */
export function ConversationList(): ReactElement {
  const { list, attempt, away, place, preferences, projects } = useLoom();
  const { items, next, status } = useStore(list);
  const view = useStore(projects.view);
  const gone = useStore(away.gone);
  const folds = useStore(preferences.folds);
  const here = useStore(place);
  const now = useMinute();
  const { whole, showWhole } = useWholeGroups(view);
  const current = 'root' in here ? here.root : undefined;
  const hasGroups = isGrouped(view);
  const rows = useMemo(() => {
    if (!hasGroups)
      return navigatorRows(
        items.filter(({ id }) => !gone.has(id)),
        now,
      );
    const live = new Map(items.map((item) => [item.id, item]));
    return groupedRows({
      view,
      folds,
      whole,
      latest: (item) => live.get(item.id) ?? item,
      isGone: (id) => gone.has(id),
      current,
    });
  }, [hasGroups, items, view, gone, folds, whole, current, now]);
  const scroller = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const isLoading = useLate(status === 'joining' && items.length === 0);
  const toggle = (group: NavigatorGroup, isOpen: boolean): void => {
    preferences.folds.update((before) => ({ ...before, [group.id]: isOpen }));
    if (isOpen && group.kind === 'archived') showWhole(group);
  };
  const onKeyDown = useListKeys({ rows, toggle });
  const onScroll = (offset: number): void => {
    const { scrollSize = 0, viewportSize = 0 } = handle.current ?? {};
    if (!hasGroups && next !== undefined && offset + viewportSize > scrollSize - near) attempt(() => list.more());
  };
  return (
    <div className="navigator-list scroll" ref={scroller} data-keys="list" onKeyDown={onKeyDown}>
      <Virtualizer ref={handle} scrollRef={scroller} bufferSize={400} onScroll={onScroll} data={rows}>
        {(row) => <Row key={row.key} row={row} now={now} onToggle={toggle} onWhole={showWhole} />}
      </Virtualizer>
      {isLoading && <ListShapes />}
      {status === 'live' && (hasGroups || next === undefined) && (
        <ListEnd isEmpty={items.length === 0 && view.projects.length === 0} />
      )}
    </div>
  );
}

interface RowProps {
  row: NavigatorRow;
  now: number;
  onToggle: (group: NavigatorGroup, isOpen: boolean) => void;
  onWhole: (group: NavigatorGroup) => void;
}

function Row({ row, now, onToggle, onWhole }: RowProps): ReactElement {
  const { go, isNavigatorOpen } = useLoom();
  const showAll = (): void => {
    isNavigatorOpen.set(false);
    go({ name: 'conversations' });
  };
  switch (row.kind) {
    case 'period':
      return <h2 className="navigator-period">{row.name}</h2>;
    case 'heading':
      return (
        <div className="navigator-heading">
          <h2>{row.name}</h2>
          {row.name === 'Projects' && (
            <IconButton icon="filter" label="Filter conversations" keys="G C" isSmall onClick={showAll} />
          )}
        </div>
      );
    case 'group':
      return <GroupRow group={row.group} isOpen={row.isOpen} onToggle={() => onToggle(row.group, !row.isOpen)} />;
    case 'more':
      return (
        <button type="button" className="more-button" onClick={() => onWhole(row.group)}>
          {grouped(row.count)} more
          <span className="unseen"> in {row.group.name}</span>
        </button>
      );
    case 'conversation':
      return <ConversationRow item={row.item} name={row.name} now={now} />;
  }
}

function ListEnd({ isEmpty }: { isEmpty: boolean }): ReactElement {
  const { hasDeleted } = useLoom();
  return (
    <div className="navigator-end">
      {isEmpty && <p>Conversations will be listed here.</p>}
      <button type="button" className="text-button" onClick={() => hasDeleted.set(true)}>
        Deleted conversations…
      </button>
    </div>
  );
}

/** Shapes of the same heights as the rows that will come. */
function ListShapes(): ReactElement {
  return (
    <div role="status" aria-label="Loading the conversations">
      {['one', 'two', 'three', 'four'].map((key) => (
        <div className="conversation-shape" key={key}>
          <div className="shape" />
        </div>
      ))}
    </div>
  );
}
