import { useEffect, useMemo } from 'react';
import { useStore } from '../../stores/use-store.ts';
import { Board } from '../board.ts';
import type { BoardRow, BoardView } from '../board.ts';
import { useBoardHost } from '../board-host.ts';

/** Returns the last turns of the conversations in which a question was asked, in the order in which they were begun. */
export function useBeside(question: string): { view: BoardView; refresh: () => void } {
  const { ask, list } = useBoardHost();
  const board = useMemo(
    () =>
      new Board({
        list,
        async read(roots): Promise<readonly BoardRow[]> {
          const only = roots === undefined ? {} : { roots: [...roots] };
          return (await ask('board.list', { question, limit: 100, ...only })).items;
        },
        after(milliseconds, call) {
          const timer = setTimeout(call, milliseconds);
          return () => clearTimeout(timer);
        },
      }),
    [ask, list, question],
  );
  useEffect(() => board.start(), [board]);
  const view = useStore(board);
  const rows = useMemo(() => besideRows(view.rows), [view.rows]);
  return { view: { ...view, rows }, refresh: () => board.refresh() };
}

/** Returns one row for each conversation: that of the turn that began last. */
export function besideRows(rows: readonly BoardRow[]): BoardRow[] {
  const newest = new Map<string, BoardRow>();
  for (const row of rows) {
    const known = newest.get(row.root);
    if (known === undefined || known.started_at < row.started_at) newest.set(row.root, row);
  }
  return [...newest.values()].sort((one, other) => (one.root < other.root ? -1 : 1));
}
