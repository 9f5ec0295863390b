import { useEffect, useState } from 'react';
import type { RefObject } from 'react';
import type { Row } from '../conversation/rows.ts';
import { lazily } from '../ui/lazily.ts';
import { useFound } from './use-current.ts';

/** Loaded late: most visits look for nothing. */
const loadMatches = lazily(() => import('./show-match.ts'));

/** The time for which a row that was searched for is marked as a whole, in milliseconds. */
const markedFor = 2000;

/** Marks a row that was looked for, for a moment, and the words in it that were found, as long as nothing else is looked for. */
export function useFoundMark(row: Row, frame: RefObject<HTMLElement | null>): boolean {
  const found = useFound(row);
  const [isFresh, setFresh] = useState(false);
  useEffect(() => {
    if (found === undefined) return undefined;
    setFresh(true);
    const timer = setTimeout(() => setFresh(false), markedFor);
    return () => {
      clearTimeout(timer);
      setFresh(false);
    };
  }, [found]);
  useEffect(() => {
    const element = frame.current;
    if (found === undefined || found.match === '' || element === null) return undefined;
    let isOver = false;
    let unmark: (() => void) | undefined;
    // Without it the row is marked as a whole.
    const mark = async (): Promise<void> => {
      const { showMatch } = await loadMatches();
      if (!isOver) unmark = showMatch(element, found.match);
    };
    mark().catch(() => {});
    return () => {
      isOver = true;
      unmark?.();
    };
  }, [found, frame]);
  return isFresh;
}
