import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { useLoom } from '../app/loom-context.ts';
import type { Row } from '../conversation/rows.ts';

interface PositionOptions {
  root: string;
  rows: readonly Row[];
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
  leaveTail: () => void;
}

/** Where the reader was in each conversation: the first row in sight and how far it was scrolled out; none at the end. */
const positions = new Map<string, { key: string; offset: number }>();

/** Brings the reader back to where they were when they come back to a conversation. */
export function useKeptPosition({ root, rows, list, scroller, leaveTail }: PositionOptions): void {
  const { place } = useLoom();
  const isRestored = useRef(false);
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  });
  useEffect(() => {
    if (isRestored.current || rows.length === 0) return;
    const here = place.getSnapshot();
    const kept = here.name === 'conversation' && here.node === undefined ? positions.get(root) : undefined;
    const at = kept === undefined ? -1 : rows.findIndex(({ key }) => key === kept.key);
    if (kept !== undefined && at < 0) return;
    isRestored.current = true;
    if (kept === undefined) return;
    leaveTail();
    list.current?.scrollToIndex(at, { align: 'start', offset: kept.offset });
  }, [root, rows, list, leaveTail, place]);
  useEffect(() => {
    const element = scroller.current;
    const keep = (): void => {
      const handle = list.current;
      if (element === null || handle === null) return;
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= 48;
      const index = handle.findItemIndex(handle.scrollOffset);
      const row = latest.current[index];
      if (isAtEnd || row === undefined) positions.delete(root);
      else positions.set(root, { key: row.key, offset: handle.scrollOffset - handle.getItemOffset(index) });
    };
    element?.addEventListener('scrollend', keep);
    return () => element?.removeEventListener('scrollend', keep);
  }, [root, list, scroller]);
}
