import { useEffect, useRef } from 'react';
import type { RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { useConversation, useLoom } from '../../app/loom-context.ts';
import { addressOf } from '../../app/route.ts';
import type { Place } from '../../app/route.ts';
import type { Row } from '../../conversation/rows.ts';
import { useStore } from '../../stores/use-store.ts';
import type { ScrollToRow } from './use-row-scroll.ts';

interface PositionOptions {
  rows: readonly Row[];
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
  scrollToRow: ScrollToRow;
  leaveTail: () => void;
}

/** Brings the reader back to their position at an address, as soon as the row in sight there has come. */
export function useKeptPosition({ rows, list, scroller, scrollToRow, leaveTail }: PositionOptions): void {
  const { place, positions } = useLoom();
  const conversation = useConversation();
  const address = keyOf(useStore(place));
  const restored = useRef<string>(undefined);
  const latest = useRef(rows);
  useEffect(() => {
    latest.current = rows;
  });
  useEffect(() => {
    if (restored.current === address || rows.length === 0) return;
    const kept = positions.get(address);
    const exact = kept === undefined ? -1 : rows.findIndex(({ key }) => key === kept.row);
    const at = exact >= 0 ? exact : rows.findIndex(({ node }) => node === kept?.node);
    const row = rows[at];
    // The rows above the first ones come with the outline.
    if (kept !== undefined && row === undefined && !conversation.isOutlined) return;
    if (kept === undefined || row === undefined) {
      restored.current = address;
      return;
    }
    leaveTail();
    scrollToRow(rows, at, { align: 'start', offset: exact >= 0 ? kept.offset : 0 });
    // Until it has come, its place is shown; then it is looked for again.
    if (row.kind === 'loading') conversation.want(row.node);
    else restored.current = address;
  }, [address, rows, scrollToRow, leaveTail, positions, conversation]);
  useEffect(() => {
    const element = scroller.current;
    const keep = (): void => {
      const handle = list.current;
      if (element === null || handle === null || restored.current !== address) return;
      const isAtEnd = element.scrollHeight - element.scrollTop - element.clientHeight <= 48;
      const index = handle.findItemIndex(handle.scrollOffset);
      const row = latest.current[index];
      if (isAtEnd || row === undefined) positions.forget(address);
      else {
        const offset = Math.round(handle.scrollOffset - handle.getItemOffset(index));
        positions.keep(address, { node: row.node, row: row.key, offset });
      }
    };
    element?.addEventListener('scrollend', keep);
    return () => element?.removeEventListener('scrollend', keep);
  }, [address, list, scroller, positions]);
}

/** Returns the key of a position: the address without the block that it names. */
function keyOf(place: Place): string {
  return addressOf(place).replace(/#.*$/u, '');
}
