import { useCallback, useEffect, useRef, useState } from 'react';
import type { RefObject } from 'react';
import type { Row } from '../conversation/rows.ts';
import { blocksBehind } from './position/blocks-behind.ts';

/** The distance from the end, in pixels, within which a reader is at the end. */
const nearness = 48;

interface TailOptions {
  scroller: RefObject<HTMLElement | null>;
  content: RefObject<HTMLElement | null>;
  rows: readonly Row[];
  /** Returns true if the last row is the end, and not only the last that has come so far. */
  isWhole: () => boolean;
}

export interface Tail {
  /** The end is out of sight, and is not followed. */
  readonly isBehind: boolean;
  /** The number of blocks that have come since the reader left the end. */
  readonly missed: number;
  readonly goToTail: () => void;
  readonly leaveTail: () => void;
}

/** Keeps the end in sight while the reader is at it. A reader who scrolls up is left alone until they come back to the end. */
export function useTail({ scroller, content, rows, isWhole }: TailOptions): Tail {
  const isFollowing = useRef(true);
  const [isBehind, setBehind] = useState(false);
  const [seen, setSeen] = useState<Row>();
  const latest = useRef(rows);
  /** True if the end was left before all of the branch was known: rows that come until then are not new. */
  const leftEarly = useRef(false);
  useEffect(() => {
    latest.current = rows;
    if (!leftEarly.current || !isWhole()) return;
    leftEarly.current = false;
    setSeen(rows.at(-1));
  });
  const leaveTail = useCallback(() => {
    if (!isFollowing.current) return;
    isFollowing.current = false;
    leftEarly.current = !isWhole();
    setSeen(leftEarly.current ? undefined : latest.current.at(-1));
  }, [isWhole]);
  const goToTail = useCallback(() => {
    isFollowing.current = true;
    leftEarly.current = false;
    setBehind(false);
    setSeen(undefined);
    const element = scroller.current;
    if (element !== null) element.scrollTop = element.scrollHeight;
  }, [scroller]);
  useEffect(() => {
    const [element, inside] = [scroller.current, content.current];
    if (element === null || inside === null) return undefined;
    const isAtEnd = (): boolean => element.scrollHeight - element.scrollTop - element.clientHeight <= nearness;
    let before = { top: element.scrollTop, height: element.scrollHeight };
    const look = (): void => {
      const now = { top: element.scrollTop, height: element.scrollHeight };
      // Up without a wheel or a key, and not since the text became shorter: the browser has found a word there, or moved the focus.
      if (now.top < before.top && now.height >= before.height && !isAtEnd()) leaveTail();
      before = now;
      if (isAtEnd() && isWhole()) {
        isFollowing.current = true;
        leftEarly.current = false;
        setSeen(undefined);
      }
      setBehind(!isFollowing.current && !isAtEnd());
    };
    const onWheel = ({ deltaY }: WheelEvent): void => {
      if (deltaY < 0) leaveTail();
    };
    const onKey = ({ key }: KeyboardEvent): void => {
      if (key === 'ArrowUp' || key === 'PageUp' || key === 'Home') leaveTail();
    };
    // Dragging the bar of the scroller fires neither wheel nor touch events: the scroller itself is pressed.
    const onPress = ({ target }: PointerEvent): void => {
      if (target === element) leaveTail();
    };
    const observer = new ResizeObserver(() => {
      // To look right behind it would have the browser lay everything out once more; the scrolling itself is looked at in time.
      if (isFollowing.current) element.scrollTop = element.scrollHeight;
      else look();
    });
    observer.observe(inside);
    observer.observe(element);
    element.addEventListener('wheel', onWheel, { passive: true });
    element.addEventListener('touchmove', leaveTail, { passive: true });
    element.addEventListener('pointerdown', onPress);
    element.addEventListener('keydown', onKey);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('wheel', onWheel);
      element.removeEventListener('touchmove', leaveTail);
      element.removeEventListener('pointerdown', onPress);
      element.removeEventListener('keydown', onKey);
      element.removeEventListener('scroll', look);
    };
  }, [scroller, content, leaveTail, isWhole]);
  return { isBehind, missed: seen === undefined ? 0 : blocksBehind(rows, seen), goToTail, leaveTail };
}
