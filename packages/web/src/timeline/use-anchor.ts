import { useLayoutEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';
import type { Row } from '../conversation/rows.ts';
import { findAnchor, isShift } from './anchor.ts';

interface Kept {
  readonly rows: readonly Row[];
  readonly isShifted: boolean;
  /** The position to which the first row in sight has to be put back. */
  readonly putBack?: { readonly index: number; readonly offset: number };
}

interface AnchorOptions {
  rows: readonly Row[];
  list: RefObject<VirtualizerHandle | null>;
}

/** Keeps the first row in sight in its place when rows come around it. Returns true if the list has to count from its end meanwhile. */
export function useAnchor(options: AnchorOptions): boolean {
  const { rows, list } = options;
  const kept = useRef<Kept>({ rows, isShifted: false });
  if (kept.current.rows !== rows) kept.current = keep(kept.current.rows, options);
  useLayoutEffect(() => {
    const { putBack } = kept.current;
    if (putBack === undefined) return;
    kept.current = { rows, isShifted: false };
    list.current?.scrollToIndex(putBack.index, { align: 'start', offset: putBack.offset });
  }, [rows, list]);
  return kept.current.isShifted;
}

function keep(before: readonly Row[], { rows, list }: AnchorOptions): Kept {
  const handle = list.current;
  if (handle === null || before.length === 0) return { rows, isShifted: false };
  const { scrollOffset } = handle;
  const anchor = findAnchor(before, rows, handle.findItemIndex(scrollOffset));
  if (anchor === undefined || anchor.from === anchor.to) return { rows, isShifted: false };
  if (isShift(anchor, before, rows)) return { rows, isShifted: true };
  const offset = scrollOffset - handle.getItemOffset(anchor.from);
  return { rows, isShifted: false, putBack: { index: anchor.to, offset } };
}
