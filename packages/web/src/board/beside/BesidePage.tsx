import { useRef, useState } from 'react';
import type { KeyboardEvent, ReactElement } from 'react';
import { abortTurn } from '../../answers/abort-turn.ts';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Nothing } from '../../ui/Nothing.tsx';
import { Page } from '../../ui/Page.tsx';
import { PlaceLink } from '../../ui/PlaceLink.tsx';
import { useLate } from '../../ui/use-late.ts';
import { useMinute } from '../../ui/use-minute.ts';
import type { BoardRow } from '../board.ts';
import { titleOf } from '../board-entry.ts';
import { useBoardHost } from '../board-host.ts';
import { useFolders } from '../folder-facts.ts';
import { BesideColumn } from './BesideColumn.tsx';
import { useBeside } from './use-beside.ts';

/** The answers of several agents to one question, side by side: each in a conversation, and most in a worktree. */
export function BesidePage({ question }: { question: string }): ReactElement {
  const host = useBoardHost();
  const { view, refresh } = useBeside(question);
  const { calls } = useStore(host.waiting);
  const folders = useFolders(view.rows);
  const now = useMinute();
  const [chosen, setChosen] = useState(0);
  const columns = useRef<HTMLDivElement>(null);
  const isLate = useLate(!view.isKnown && view.failure === undefined);
  const { rows } = view;
  const [first] = rows;
  const running = rows.filter(({ state, turn }) => turn !== undefined && (state === 'running' || state === 'waiting'));
  const stop = (stopped: readonly BoardRow[]): void =>
    host.attempt(() => Promise.all(stopped.map(({ root, turn = '' }) => abortTurn(host, root, turn))));
  const onKeyDown = (event: KeyboardEvent): void => {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by === 0 || event.target !== columns.current?.children[chosen]) return;
    const next = Math.max(0, Math.min(rows.length - 1, chosen + by));
    const column = columns.current.children[next];
    if (column instanceof HTMLElement) column.focus();
    event.preventDefault();
  };
  return (
    <Page
      title={first === undefined ? 'Side by side' : titleOf(first)}
      isWide
      aside={
        <>
          {running.length > 1 && (
            <button type="button" className="button" onClick={() => stop(running)}>
              Stop all
            </button>
          )}
          <PlaceLink place={{ name: 'agents' }} className="button">
            <Icon name="left" />
            All agents
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
      {view.isKnown && rows.length === 0 && (
        <Nothing title="Nothing was asked here">
          <p>The conversations of this question were deleted or archived.</p>
        </Nothing>
      )}
      <div ref={columns} className="beside scroll" role="group" aria-label="Answers" onKeyDown={onKeyDown}>
        {rows.map((row, index) => (
          <BesideColumn
            key={row.root}
            row={row}
            place={`${index + 1} of ${rows.length}`}
            calls={calls}
            folder={folders.get(row.root)}
            now={now}
            isChosen={index === Math.min(chosen, rows.length - 1)}
            onChoose={() => setChosen(index)}
            onStop={() => stop([row])}
          />
        ))}
      </div>
    </Page>
  );
}
