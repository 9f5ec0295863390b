import { useEffect, useMemo, useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { useConversationsHost } from './conversations-host.ts';
import { nameOf } from '../navigator/navigator-rows.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { IconButton } from '../ui/IconButton.tsx';
import { Nothing } from '../ui/Nothing.tsx';
import { useMinute } from '../ui/use-minute.ts';
import { grouped } from '../words/amounts.ts';
import { BulkBar } from './BulkBar.tsx';
import { FilterBar } from './FilterBar.tsx';
import { isFiltered, readFilters, writeFilters } from './filters.ts';
import type { Filters } from './filters.ts';
import { pageRows } from './page-rows.ts';
import type { PageRow } from './page-rows.ts';
import { PageRowView } from './PageRowView.tsx';
import { ProjectDialog } from './ProjectDialog.tsx';
import { RunningJobs } from './RunningJobs.tsx';
import { archivingOf, extended, nothingSelected, toggled } from './selection.ts';
import { useConversations } from './use-conversations.ts';
import './conversations.css';

/** The distance from its end at which the list asks for more, in pixels. */
const near = 1200;

/** All conversations: filtered, grouped, and selected for what is done with many. */
export function ConversationsPage(): ReactElement {
  const { attempt, away, pins, projects, navigatorButton, ...host } = useConversationsHost();
  const grouping = useStore(host.grouping);
  const gone = useStore(away.gone);
  const { all, archived } = useStore(projects.view);
  const now = useMinute();
  const [filters, setFilters] = useState<Filters>(() => readFilters(host.filters));
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [selection, setSelection] = useState(nothingSelected);
  const [current, setCurrent] = useState<string>();
  const [configured, setConfigured] = useState<{ id: string; name: string }>();
  const { listed, showWhole, more, allIds } = useConversations(filters, grouping);
  const rows = useMemo(
    () => pageRows(grouping, { ...listed, folded, now, isGone: (id) => gone.has(id) }),
    [grouping, listed, folded, now, gone],
  );
  const order = useMemo(() => rows.flatMap((row) => (row.kind === 'conversation' ? [row.item.id] : [])), [rows]);
  const known = useMemo(
    () => new Map(rows.flatMap((row) => (row.kind === 'conversation' ? [[row.item.id, row.item] as const] : []))),
    [rows],
  );
  const stop = current !== undefined && known.has(current) ? current : order[0];
  const scroller = useRef<HTMLDivElement>(null);
  const handle = useRef<VirtualizerHandle>(null);
  const selected = useMemo(
    () =>
      [...selection.ids].map((id) => {
        const item = known.get(id);
        return { id, name: item === undefined ? id : nameOf(item) };
      }),
    [selection, known],
  );
  const bookmarked = selected.filter(({ id }) => (known.get(id)?.bookmarks.length ?? 0) > 0).length;
  const archiving = archivingOf(selected.map(({ id }) => known.get(id)?.archived));
  // The address became another one: back, forward, or a link to this page.
  const { filters: address, onFilters } = host;
  useEffect(() => {
    setFilters((held) => (writeFilters(held) === address ? held : readFilters(address)));
  }, [address]);
  const clear = (): void => setSelection(nothingSelected);
  const select = (id: string, isRange: boolean): void => {
    setCurrent(id);
    setSelection((before) => (isRange ? extended(before, id, order) : toggled(before, id)));
  };
  const selectAll = (): void => attempt(async () => setSelection({ ids: new Set(await allIds()), anchor: undefined }));
  const focus = (id: string | undefined): void => {
    if (id === undefined) return;
    setCurrent(id);
    const at = rows.findIndex((row) => row.kind === 'conversation' && row.item.id === id);
    const find = (): HTMLElement | null | undefined =>
      scroller.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] a`);
    handle.current?.scrollToIndex(at, { align: 'nearest' });
    find()?.focus({ preventScroll: true });
  };
  const toggleGroup = (id: string): void =>
    setFolded((before) => {
      const after = new Set(before);
      if (!after.delete(id)) after.add(id);
      return after;
    });
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const { key, target } = event;
    if (!(target instanceof HTMLElement) || target.closest('dialog, [popover]') !== null) return;
    const isField = target.closest('input:not([type=checkbox]), select, textarea') !== null;
    const isHeld = event.ctrlKey || event.metaKey;
    const id = target.closest('[data-row]')?.getAttribute('data-row') ?? undefined;
    const item = id === undefined ? undefined : known.get(id);
    const letters = host.hasLetterKeys.getSnapshot();
    const acted = selected.length > 0 ? selected : item === undefined ? [] : [{ id: item.id, name: nameOf(item) }];
    if (key === 'Escape' && selected.length > 0) clear();
    else if (isField || event.altKey) return;
    else if (isHeld && key.toLowerCase() === 'a') selectAll();
    else if (isHeld) return;
    else if (key === 'ArrowDown' || key === 'ArrowUp') {
      const next =
        order[stop === undefined ? 0 : order.indexOf(stop) + (id === undefined ? 0 : key === 'ArrowDown' ? 1 : -1)];
      if (event.shiftKey && next !== undefined && id !== undefined)
        setSelection((before) => extended(before.anchor === undefined ? toggled(before, id) : before, next, order));
      focus(next);
    } else if (key === ' ' && id !== undefined) select(id, event.shiftKey);
    else if (!letters) return;
    else if (key === '/') document.querySelector<HTMLElement>('[data-filter-text]')?.focus();
    else if (key === '#' && acted.length > 0) {
      const areArchived = archivingOf(acted.map(({ id: root }) => known.get(root)?.archived)) === 'archived';
      attempt(() => (areArchived ? away.unarchive(acted) : away.archive(acted)));
      clear();
    } else if (key === '*' && acted.length > 0) attempt(() => pins.toggle(acted.map(({ id: root }) => root)));
    else return;
    event.preventDefault();
  };
  useFirstFocus(scroller, order.length > 0);
  const { counts } = listed;
  const matching = counts?.matching ?? 0;
  const isAllSelected = matching > 0 && selection.ids.size >= matching;
  return (
    <main id="main" tabIndex={-1} className="main" onKeyDown={onKeyDown}>
      <header className="top-bar only-narrow-bar">
        {navigatorButton}
        <h1 className="page-name">Conversations</h1>
      </header>
      <div className="page-scroll scroll conversations" ref={scroller} data-keys="list" tabIndex={-1}>
        <div className="conversations-page">
          <div className="page-head">
            <h1 className="grow">Conversations</h1>
            <span className="figures conversations-count">
              {grouped(all)}
              {archived > 0 && `, and ${grouped(archived)} archived`}
            </span>
          </div>
          <FilterBar
            filters={filters}
            grouping={grouping}
            counts={counts}
            onFilter={(to) => {
              setFilters(to);
              onFilters(writeFilters(to));
              clear();
            }}
            onGroup={(by) => host.grouping.set(by)}
          />
          <RunningJobs />
          {rows.length > 0 && (
            <div className="list-head">
              <input
                type="checkbox"
                aria-label={isAllSelected ? 'Clear selection' : 'Select all'}
                checked={isAllSelected}
                onChange={isAllSelected ? clear : selectAll}
              />
              <span>Title</span>
              <span className="list-agent">Agent</span>
              <span className="list-model">Model</span>
              <span className="list-state">State</span>
              <span className="list-figure list-branches">Branches</span>
              <span className="list-figure list-cost">Cost</span>
              <span className="list-figure list-time">Active</span>
            </div>
          )}
          <Virtualizer
            ref={handle}
            scrollRef={scroller}
            startMargin={160}
            bufferSize={600}
            data={rows}
            onScroll={(offset) => {
              const { scrollSize = 0, viewportSize = 0 } = handle.current ?? {};
              if (offset + viewportSize > scrollSize - near) more();
            }}
          >
            {(row) => (
              <Row key={row.key} row={row} onGroup={toggleGroup} onSettings={setConfigured} onMore={showWhole}>
                {row.kind === 'conversation' && (
                  <PageRowView
                    item={row.item}
                    name={row.name}
                    now={now}
                    isSelected={selection.ids.has(row.item.id)}
                    isCurrent={row.item.id === stop}
                    onSelect={select}
                  />
                )}
              </Row>
            )}
          </Virtualizer>
          {counts !== undefined && rows.length === 0 && <Empty isFiltered={isFiltered(filters)} />}
        </div>
      </div>
      {configured !== undefined && (
        <ProjectDialog project={configured.id} name={configured.name} onClose={() => setConfigured(undefined)} />
      )}
      {selected.length > 0 && (
        <BulkBar
          items={selected}
          ids={selection.ids}
          bookmarked={bookmarked}
          matching={matching}
          archiving={
            archiving === 'present' && filters.withArchived && selected.some(({ id }) => !known.has(id))
              ? 'both'
              : archiving
          }
          onAll={selectAll}
          onClear={clear}
        />
      )}
    </main>
  );
}

interface RowProps {
  row: PageRow;
  onGroup: (id: string) => void;
  onSettings: (project: { id: string; name: string }) => void;
  onMore: (id: string) => void;
  children: ReactElement | false;
}

function Row({ row, onGroup, onSettings, onMore, children }: RowProps): ReactElement {
  switch (row.kind) {
    case 'group':
      return (
        <h2 className="list-group">
          <button type="button" aria-expanded={row.isOpen} tabIndex={-1} onClick={() => onGroup(row.id)}>
            <Icon name={row.isOpen ? 'down' : 'right'} small />
            <Icon name={row.id === '' ? 'message' : 'folder'} />
            {row.name}
            <span className="list-group-count figures">{row.count}</span>
            <span className="list-group-place cut hide-narrow">{row.directory}</span>
          </button>
          {row.id !== '' && (
            <IconButton
              icon="settings"
              label={`Settings of ${row.name}`}
              isSmall
              onClick={() => onSettings({ id: row.id, name: row.name })}
            />
          )}
        </h2>
      );
    case 'period':
      return <h2 className="list-group list-period">{row.name}</h2>;
    case 'more':
      return (
        <button type="button" className="list-more" onClick={() => onMore(row.id)}>
          {grouped(row.count)} more in {row.name}
        </button>
      );
    default:
      return <>{children}</>;
  }
}

function Empty({ isFiltered: isNarrowed }: { isFiltered: boolean }): ReactElement {
  return isNarrowed ? (
    <Nothing title="Nothing matches">
      <p>No conversation has all of these filters.</p>
    </Nothing>
  ) : (
    <Nothing title="No conversations yet">
      <p>Everything you talk about with models and agents is listed here.</p>
    </Nothing>
  );
}

/** The keys of the list act as soon as it is there, unless the focus is somewhere. */
function useFirstFocus(scroller: { readonly current: HTMLElement | null }, hasRows: boolean): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current || !hasRows) return;
    isDone.current = true;
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body) scroller.current?.focus({ preventScroll: true });
  }, [hasRows, scroller]);
}
