import { useMemo } from 'react';
import type { ReactElement } from 'react';
import { BoardHostContext } from '../board/board-host.ts';
import { later } from '../ui/later.tsx';
import { useLoom } from './loom-context.ts';

const BoardPage = later(async () => (await import('../board/BoardPage.tsx')).BoardPage, { isPlace: true });
const BesidePage = later(async () => (await import('../board/beside/BesidePage.tsx')).BesidePage, { isPlace: true });

/** The board, or the answers to one question on it, with the services that they need. */
export function BoardPlace({ question }: { question: string | undefined }): ReactElement {
  const { ask, attempt, list, waiting, looked, preferences } = useLoom();
  const host = useMemo(
    () => ({ ask, attempt, list, waiting, looked, layout: preferences.boardLayout }),
    [ask, attempt, list, waiting, looked, preferences],
  );
  return (
    <BoardHostContext value={host}>
      {question === undefined ? <BoardPage /> : <BesidePage key={question} question={question} />}
    </BoardHostContext>
  );
}
