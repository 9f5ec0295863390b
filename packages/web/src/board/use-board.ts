import { useEffect, useMemo, useReducer } from 'react';
import { useHomeChanges } from '../stores/use-home-changes.ts';
import { useStore } from '../stores/use-store.ts';
import { Board } from './board.ts';
import type { BoardRow, BoardView } from './board.ts';
import { boardItems, stay } from './board-items.ts';
import { useBoardHost } from './board-host.ts';
import type { BoardItem } from './board-items.ts';
import { lookedKey } from './looked.ts';

/** Turns that ended within this time are done this week, in milliseconds. */
const week = 7 * 24 * 60 * 60_000;

/** Returns the board as long as it is shown; `isWhole` if it has the turns that were looked at, too. */
export function useBoard(isWhole: boolean): { items: readonly BoardItem[]; view: BoardView; refresh: () => void } {
  const { ask, attempt, list, looked } = useBoardHost();
  const since = useStore(looked.since);
  const board = useMemo(() => {
    const begin = isWhole ? Math.min(since, Date.now() - week) : since;
    return new Board({
      list,
      async read(roots): Promise<readonly BoardRow[]> {
        const only = roots === undefined ? {} : { roots: [...roots] };
        return (await ask('board.list', { since: new Date(begin).toISOString(), limit: 500, ...only })).items;
      },
      after(milliseconds, call) {
        const timer = setTimeout(call, milliseconds);
        return () => clearTimeout(timer);
      },
    });
  }, [ask, list, since, isWhole]);
  useEffect(() => attempt(() => looked.load()), [attempt, looked]);
  useHomeChanges(lookedKey, () => void looked.load().catch(() => {}));
  useEffect(() => board.start(), [board]);
  const view = useStore(board);
  return { items: usePlaced(view), view, refresh: () => board.refresh() };
}

/** Returns the rows in their places; those that changed are moved after a moment. */
function usePlaced({ rows }: BoardView): readonly BoardItem[] {
  const [items, place] = useReducer(
    (before: readonly BoardItem[], now: readonly BoardRow[]) => boardItems(before, now, Date.now()),
    rows,
    (now) => boardItems([], now, Date.now()),
  );
  useEffect(() => place(rows), [rows]);
  const hasMoved = items.some(({ movedAt }) => movedAt !== undefined);
  useEffect(() => {
    if (!hasMoved) return undefined;
    const timer = setTimeout(() => place(rows), stay);
    return () => clearTimeout(timer);
  }, [hasMoved, items, rows]);
  return items;
}
