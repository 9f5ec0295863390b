import { useLayoutEffect, useRef } from 'react';
import { useConversation, useLoom } from '../app/loom-context.ts';
import type { Reveal } from '../branching/workspace.ts';
import { focusTimeline } from '../composer/focus.ts';
import type { Row } from '../conversation/rows.ts';
import { useStore } from '../stores/use-store.ts';
import { openAround } from './open-around.ts';
import type { ScrollToRow } from './position/use-row-scroll.ts';
import { blockOf, holdsBlock, isOfMessage } from './steps.ts';

interface RevealOptions {
  rows: readonly Row[];
  scrollToRow: ScrollToRow;
  /** Notes that the reader is no longer at the end. */
  leaveTail: () => void;
}

/**
 * Brings a row into sight that was asked for, before anything else is painted if it is there. A block that was searched for is shown
 * whatever its kind, and folds around it open.
 */
export function useReveal({ rows, scrollToRow, leaveTail }: RevealOptions): void {
  const { workspace, current } = useLoom();
  const conversation = useConversation();
  const wish = useStore(workspace.reveal);
  const shape = useStore(conversation.shape);
  const done = useRef<Reveal | undefined>(undefined);
  const open = useOpening();
  useLayoutEffect(() => {
    if (wish === undefined) return;
    if (wish === done.current) return open(rows, wish);
    if (isLookedFor(wish)) conversation.lookFor(wish);
    const at = rowOf(rows, wish);
    const row = rows[at];
    if (row === undefined) return;
    // The branch of an address without a block is read from its end.
    const isTail = wish.block === undefined && wish.node === conversation.tip;
    // Until the outline is there, what seems to be the end may go on.
    if (isTail && !conversation.isOutlined) return;
    if (!isTail) {
      // New rows below are not followed, either.
      if (at < rows.length - 1 || !conversation.isOutlined) leaveTail();
      const { block, node, how } = wish;
      scrollToRow(rows, at, { align: how }, block === undefined ? undefined : (one) => holdsBlock(one, block, node));
    }
    // Until it has come, its place is shown; then it is looked for again.
    if (row.kind === 'loading') return conversation.want(row.node);
    done.current = wish;
    open(rows, wish);
    if (wish.takesFocus === true) {
      // Its row may not be drawn yet, and keys are meant for it already.
      focusTimeline();
      workspace.focus.set(blockOf(row));
    }
    if (wish.block === undefined && !isTail) current.set(conversation.firstBlockOf(wish.node));
  }, [wish, rows, shape, scrollToRow, leaveTail, conversation, current, workspace, open]);
}

/** Opens what hides a block that was looked for, once, and again when its row has become another one, as when more of its group is loaded. */
function useOpening(): (rows: readonly Row[], wish: Reveal) => void {
  const { workspace, blocks } = useLoom();
  const { replica } = useConversation();
  const opened = useRef<{ wish: Reveal; key: string } | undefined>(undefined);
  const open = useRef((rows: readonly Row[], wish: Reveal): void => {
    if (!isLookedFor(wish)) return;
    const row = rows[rowOf(rows, wish)];
    if (row === undefined || (opened.current?.wish === wish && opened.current.key === row.key)) return;
    const isFirst = opened.current?.wish !== wish;
    opened.current = { wish, key: row.key };
    const { node, block, match = '' } = wish;
    openAround(row, { node, block, match }, replica, blocks.folds);
    if (isFirst) workspace.found.set({ node, block, match });
    else if (wish.takesFocus === true) workspace.focus.set(blockOf(row));
  });
  return open.current;
}

/** Returns true if a block was searched for, and not only stepped to. */
function isLookedFor(wish: Reveal): wish is Reveal & { readonly block: string } {
  return wish.block !== undefined && wish.how === 'center';
}

/** The row of a block or, as long as that is not there, the first of its message. */
function rowOf(rows: readonly Row[], { node, block }: Pick<Reveal, 'node' | 'block'>): number {
  const at = block === undefined ? -1 : rows.findIndex((row) => holdsBlock(row, block, node));
  return at >= 0 ? at : rows.findIndex((row) => isOfMessage(row, node));
}
