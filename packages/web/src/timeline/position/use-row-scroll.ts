import { useCallback, useEffect, useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Row } from '../../conversation/rows.ts';

type ScrollOptions = Parameters<VirtualizerHandle['scrollToIndex']>[1];

/** Brings a row into sight, by its place among the rows. `isSame` knows it again among others, where its key may change. */
export type ScrollToRow = (
  rows: readonly Row[],
  index: number,
  options: ScrollOptions,
  isSame?: (row: Row) => boolean,
) => void;

interface RowScrollOptions {
  rows: readonly Row[];
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
  /** Returns true if all rows are known; until then most of them may come above. */
  isWhole: () => boolean;
}

/** The time for which a row that was scrolled to is held, in milliseconds: the rows around it are measured, and others come above it. */
const settling = 1000;

/**
 * Scrolls to rows. The list goes on scrolling until everything around its target is measured, and knows the target by its index alone; when
 * rows come above it meanwhile, it gets the new index. A reader who scrolls is not held.
 */
export function useRowScroll({ rows, list, scroller, isWhole }: RowScrollOptions): ScrollToRow {
  const goal = useRef<{ isSame: (row: Row) => boolean; options: ScrollOptions; until: number }>(undefined);
  const wasWhole = useRef(false);
  useLayoutEffect(() => {
    const wanted = goal.current;
    const isFirstWhole = isWhole() && !wasWhole.current;
    wasWhole.current = isWhole();
    if (wanted === undefined) return;
    if (isFirstWhole || !isWhole()) wanted.until = performance.now() + settling;
    if (performance.now() > wanted.until) return;
    const index = rows.findIndex(wanted.isSame);
    if (index >= 0) list.current?.scrollToIndex(index, wanted.options);
  }, [rows, list, isWhole]);
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
    (shown, index, options, isSame) => {
      const wanted = shown[index];
      if (wanted === undefined) return;
      goal.current = {
        isSame: isSame ?? (({ key }) => key === wanted.key),
        options,
        until: performance.now() + settling,
      };
      list.current?.scrollToIndex(index, options);
    },
    [list],
  );
}
