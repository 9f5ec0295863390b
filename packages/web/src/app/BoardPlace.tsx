import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { BoardHostContext } from '../board/board-host.ts';
import { later } from '../ui/later.tsx';
import { useLoom } from './loom-context.ts';

const BoardPage = later(async () => (await import('../board/BoardPage.tsx')).BoardPage, { isPlace: true });

/** The board, with the services that it needs. */
export function BoardPlace(): ReactElement {
  const { ask, attempt, list, waiting, looked, preferences } = useLoom();
  const host = useMemo(
    () => ({ ask, attempt, list, waiting, looked, layout: preferences.boardLayout }),
    [ask, attempt, list, waiting, looked, preferences],
  );
  return (
    <BoardHostContext value={host}>
      <BoardPage />
    </BoardHostContext>
  );
}
