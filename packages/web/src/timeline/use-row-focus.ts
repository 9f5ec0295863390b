import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { focusTimeline } from '../composer/focus.ts';
import { usePart } from '../stores/use-part.ts';

/** Gives a row the focus if its block is to have it. A row that leaves the document leaves the focus to the timeline: keys still act there. */
export function useRowFocus(block: string): RefObject<HTMLDivElement | null> {
  const { focus } = useLoom().workspace;
  const row = useRef<HTMLDivElement>(null);
  const isWanted = usePart(focus, (wanted) => wanted === block);
  useLayoutEffect(() => {
    if (!isWanted) return;
    row.current?.focus({ preventScroll: true });
    focus.set(undefined);
  }, [isWanted, focus]);
  useLayoutEffect(() => {
    const element = row.current;
    return () => {
      if (element?.contains(document.activeElement) === true) focusTimeline();
    };
  }, []);
  return row;
}
