import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Row } from '../../conversation/rows.ts';

type ScrollOptions = Parameters<VirtualizerHandle['scrollToIndex']>[1];

/** Brings a row into sight, by its place among the rows. */
export type ScrollToRow = (rows: readonly Row[], index: number, options: ScrollOptions) => void;

interface RowScrollOptions {
  rows: readonly Row[];
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
}

/** So long a row that was scrolled to is held, in milliseconds: what is around it is measured, and rows come above it. */
const settling = 1000;

/**
 * Scrolls to rows. The list goes on scrolling until everything around its target is measured, and knows the target by its place alone; when
 * rows come above it meanwhile, it is told the new place. A reader who scrolls is not held.
 */
export function useRowScroll({ rows, list, scroller }: RowScrollOptions): ScrollToRow {
  const goal = useRef<{ key: string; options: ScrollOptions; until: number }>(undefined);
  useLayoutEffect(() => {
    const wanted = goal.current;
    if (wanted === undefined || performance.now() > wanted.until) return;
    const index = rows.findIndex(({ key }) => key === wanted.key);
    if (index >= 0) list.current?.scrollToIndex(index, wanted.options);
  }, [rows, list]);
  useEffect(() => {
    const element = scroller.current;
    const release = (): void => {
      goal.current = undefined;
    };
    const events = ['wheel', 'touchmove', 'pointerdown', 'keydown'];
    for (const type of events) element?.addEventListener(type, release, { passive: true });
    return () => {
      for (const type of events) element?.removeEventListener(type, release);
    };
  }, [scroller]);
  return useCallback(
    (shown, index, options) => {
      const key = shown[index]?.key;
      if (key === undefined) return;
      goal.current = { key, options, until: performance.now() + settling };
      list.current?.scrollToIndex(index, options);
    },
    [list],
  );
}
