import { useEffect, useRef, useState } from 'react';
import type { ReactElement, ReactNode } from 'react';
import { abortTurn } from '../answers/abort-turn.ts';
import { useBringCommands } from '../keys/use-commands.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { Nothing } from '../ui/Nothing.tsx';
import { Page } from '../ui/Page.tsx';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { Segments } from '../ui/Segments.tsx';
import { useLate } from '../ui/use-late.ts';
import { useMedia } from '../ui/use-media.ts';
import { useMinute } from '../ui/use-minute.ts';
import { useBoardHost } from './board-host.ts';
import type { BoardLayout } from './board-host.ts';
import { BoardCard } from './BoardCard.tsx';
import { BoardFilter } from './BoardFilter.tsx';
import type { BoardItem } from './board-items.ts';
import { arrange, choicesOf, isChosen } from './board-parts.ts';
import type { BoardChoice, BoardSection } from './board-parts.ts';
import { BoardRow } from './BoardRow.tsx';
import type { BoardEntryProps } from './board-entry.ts';
import { useFolders } from './folder-facts.ts';
import { useBoard } from './use-board.ts';

const layouts = [
  { value: 'list', label: 'List' },
  { value: 'columns', label: 'Columns' },
] as const;

/** Every turn that waits, runs or has ended lately, in all conversations. */
export function BoardPage(): ReactElement {
  const host = useBoardHost();
  const { looked, attempt, waiting } = host;
  const isNarrow = useMedia('(max-width: 839px)');
  const kept = useStore(host.layout);
  const layout: BoardLayout = isNarrow ? 'list' : kept;
  const { items, view, refresh } = useBoard(layout === 'columns');
  const { calls } = useStore(waiting);
  const now = useMinute();
  const folders = useFolders(view.rows);
  const [choice, setChoice] = useState<BoardChoice>({});
  const [current, setCurrent] = useState<string>();
  const [deciding, setDeciding] = useState<string>();
  const shown = items.filter((item) => isChosen(item.row, choice, folders));
  const sections = arrange(shown, layout, (row) => looked.has(row.root, Date.parse(row.changed_at)));
  const order = sections.flatMap((section) => section.items);
  const focused = order.find(({ row }) => row.id === current) ?? order[0];
  const stop = ({ root, turn }: BoardItem['row']): void => {
    if (turn !== undefined) attempt(() => abortTurn(host, root, turn));
  };
  const decide = ({ id }: BoardItem['row']): void => setDeciding(deciding === id ? undefined : id);
  const step = (by: 1 | -1) => (): void => {
    const at = order.findIndex(({ row }) => row.id === current);
    const next = order[at < 0 ? 0 : Math.max(0, Math.min(order.length - 1, at + by))];
    if (next === undefined) return;
    setCurrent(next.row.id);
    focusRow(next.row.id);
  };
  useBringCommands({
    'board-next': step(1),
    'board-previous': step(-1),
    'board-decide': () => focused?.row.state === 'waiting' && decide(focused.row),
    'board-stop': () => focused?.row.state === 'running' && stop(focused.row),
  });
  useFirstFocus();
  const entry = (item: BoardItem): BoardEntryProps => ({
    item,
    calls,
    folder: folders.get(item.row.root),
    now,
    isCurrent: item === focused,
    isDeciding: deciding === item.row.id,
    onCurrent: () => setCurrent(item.row.id),
    onDecide: () => decide(item.row),
    onStop: () => stop(item.row),
  });
  const isLate = useLate(!view.isKnown && view.failure === undefined);
  const choices = choicesOf(view.rows, folders);
  return (
    <Page
      title="Agents"
      isWide
      isList="board"
      aside={
        <>
          {!isNarrow && (
            <Segments label="Layout" choices={layouts} chosen={layout} onChoose={(value) => host.layout.set(value)} />
          )}
          <BoardFilter
            all="All projects"
            choices={choices.projects}
            chosen={choice.project}
            onChoose={(project) => setChoice({ ...choice, project })}
          />
          <BoardFilter
            all="All agents"
            choices={choices.agents}
            chosen={choice.agent}
            onChoose={(agent) => setChoice({ ...choice, agent })}
          />
          <PlaceLink place={{ name: 'new' }} className="button button-primary">
            <Icon name="plus" />
            New
          </PlaceLink>
        </>
      }
    >
      {view.failure !== undefined && (
        <div className="error-note" role="alert">
          <p>{view.failure}</p>
          <button type="button" className="button" onClick={refresh}>
            Try again
          </button>
        </div>
      )}
      {isLate && <div className="shape" role="status" aria-label="Loading" />}
      {view.isKnown && order.length === 0 && <Empty isFiltered={view.rows.length > 0 && shown.length === 0} />}
      <div className={layout === 'columns' ? 'board-columns' : 'board-list'}>
        {sections.map((section) => (
          <Section key={section.name} section={section} layout={layout} onMark={() => attempt(() => looked.markAll())}>
            {section.items.map((item) =>
              layout === 'columns' ? (
                <BoardCard key={item.row.id} {...entry(item)} />
              ) : (
                <BoardRow key={item.row.id} {...entry(item)} />
              ),
            )}
          </Section>
        ))}
      </div>
    </Page>
  );
}

interface SectionProps {
  section: BoardSection;
  layout: BoardLayout;
  onMark: () => void;
  children: ReactNode;
}

function Section({ section, layout, onMark, children }: SectionProps): ReactElement | null {
  const { name, items, remark, canMark } = section;
  if (items.length === 0 && layout === 'list') return null;
  return (
    <section className="board-section" aria-label={name}>
      <div className="board-head">
        <h2>{name}</h2>
        <span className={layout === 'columns' ? 'count' : 'board-count'}>
          {items.length}
          {remark !== undefined && layout === 'list' && `, ${remark}`}
        </span>
        {canMark && items.length > 0 && (
          <>
            <span className="grow" />
            <button type="button" className="text-button" onClick={onMark}>
              Mark all as read
            </button>
          </>
        )}
      </div>
      <ul className="board-items">{children}</ul>
    </section>
  );
}

function Empty({ isFiltered }: { isFiltered: boolean }): ReactElement {
  if (isFiltered) {
    return (
      <Nothing title="Nothing matches">
        <p>Turns of other projects or agents are left out.</p>
      </Nothing>
    );
  }
  return (
    <Nothing title="No agent is running">
      <p>Agents that need you, are running or just finished show up here.</p>
      <PlaceLink place={{ name: 'new' }} className="button">
        New conversation
      </PlaceLink>
    </Nothing>
  );
}

/** The keys of the board act as soon as it is there, unless the focus is somewhere. */
function useFirstFocus(): void {
  const isDone = useRef(false);
  useEffect(() => {
    if (isDone.current) return;
    isDone.current = true;
    const { activeElement, body } = document;
    if (activeElement === null || activeElement === body)
      document.querySelector<HTMLElement>('[data-keys="board"]')?.focus({ preventScroll: true });
  }, []);
}

function focusRow(id: string): void {
  document.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"] a`)?.focus();
}
