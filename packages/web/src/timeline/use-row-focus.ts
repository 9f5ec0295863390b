import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import { useLoom } from '../app/loom-context.ts';
import { focusTimeline, isTimelineFocused } from '../composer/focus.ts';
import { usePart } from '../stores/use-part.ts';

/**
 * Gives a row the focus if its block is to have it and keys go to the timeline. A row that leaves the document leaves the focus to the timeline,
 * where keys still act, and takes it again when it comes back.
 */
export function useRowFocus(block: string): RefObject<HTMLDivElement | null> {
  const { focus } = useLoom().workspace;
  const row = useRef<HTMLDivElement>(null);
  const isWanted = usePart(focus, (wanted) => wanted === block);
  useLayoutEffect(() => {
    if (!isWanted) return;
    if (isTimelineFocused()) row.current?.focus({ preventScroll: true });
    focus.set(undefined);
  }, [isWanted, focus]);
  useLayoutEffect(() => {
    const element = row.current;
    return () => {
      if (element === null || element !== document.activeElement) return;
      focusTimeline();
      focus.set(block);
    };
  }, [block, focus]);
  return row;
}
