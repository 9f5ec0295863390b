import { useEffect, useRef } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { focusTimeline } from '../composer/focus.ts';
import type { Row } from '../conversation/rows.ts';
import type { Reveal } from '../branching/workspace.ts';
import { blockOf } from './steps.ts';
import { useStore } from '../stores/use-store.ts';
import type { ScrollToRow } from './position/use-row-scroll.ts';

interface RevealOptions {
  rows: readonly Row[];
  scrollToRow: ScrollToRow;
  /** The reader is not at the end any more. */
  leaveTail: () => void;
}

/** Brings a row into sight that was asked for, as soon as it is there. */
export function useReveal({ rows, scrollToRow, leaveTail }: RevealOptions): void {
  const { workspace, current } = useLoom();
  const conversation = useConversation();
  const wish = useStore(workspace.reveal);
  const shape = useStore(conversation.shape);
  const done = useRef<Reveal | undefined>(undefined);
  useEffect(() => {
    if (wish === undefined || wish === done.current) return;
    const at = rowOf(rows, wish);
    const row = rows[at];
    if (row === undefined) return;
    // The branch of an address without a block is read from its end.
    const isTail = wish.block === undefined && wish.node === conversation.tip;
    // Until the outline is there, what seems to be the end may go on.
    if (isTail && !conversation.isOutlined) return;
    if (!isTail) {
      if (at < rows.length - 1) leaveTail();
      scrollToRow(rows, at, { align: wish.how });
    }
    // Until it has come, its place is shown; then it is looked for again.
    if (row.kind === 'loading') return conversation.want(row.node);
    done.current = wish;
    if (wish.takesFocus === true) {
      // Its row may not be drawn yet, and keys are meant for it already.
      focusTimeline();
      workspace.focus.set(blockOf(row));
    }
    if (wish.block === undefined && !isTail) current.set(conversation.firstBlockOf(wish.node));
  }, [wish, rows, shape, scrollToRow, leaveTail, conversation, current, workspace]);
}

/** The row of a block or, as long as that is not there, the first of its message. */
function rowOf(rows: readonly Row[], { node, block }: Pick<Reveal, 'node' | 'block'>): number {
  const at = block === undefined ? -1 : rows.findIndex((row) => blockOf(row) === block);
  return at >= 0 ? at : rows.findIndex((row) => row.node === node);
}
