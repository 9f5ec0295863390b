import { useEffect, useMemo, useState } from 'react';
import type { ReactElement, RefObject } from 'react';
import type { VirtualizerHandle } from 'virtua';
import { useConversation, useLoom } from '../../app/loom-context.ts';
import { oneLine } from '../../conversation/block-words.ts';
import type { BranchTurn } from '../../conversation/branch-turns.ts';
import type { Row } from '../../conversation/rows.ts';
import { useStore } from '../../stores/use-store.ts';
import { Icon } from '../../ui/Icon.tsx';
import { messageTime } from '../../words/times.ts';
import { turnAt } from './turn-at.ts';
import { useBranchTurns } from './use-branch-turns.ts';

interface AskedLineProps {
  rows: readonly Row[];
  list: RefObject<VirtualizerHandle | null>;
  scroller: RefObject<HTMLElement | null>;
}

/** Says above a long answer what the reader asked; a click goes there. */
export function AskedLine({ rows, list, scroller }: AskedLineProps): ReactElement | null {
  useBranchTurns();
  const { workspace } = useLoom();
  const { turns } = useConversation();
  const items = useStore(turns.items);
  const starts = useMemo(() => new Map(items.map((turn) => [turn.node, turn])), [items]);
  const [asked, setAsked] = useState<BranchTurn>();
  useEffect(() => {
    const element = scroller.current;
    if (element === null) return undefined;
    let frame = 0;
    const look = (): void => {
      frame = 0;
      const handle = list.current;
      if (handle === null) return;
      const { here, above } = turnAt(rows, handle.findItemIndex(element.scrollTop), starts);
      turns.here.set(here?.node);
      setAsked(above);
    };
    const onScroll = (): void => {
      frame ||= requestAnimationFrame(look);
    };
    onScroll();
    element.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      element.removeEventListener('scroll', onScroll);
    };
  }, [rows, list, scroller, starts, turns]);
  if (asked === undefined) return null;
  const time = Date.parse(asked.time);
  return (
    <button
      type="button"
      className="asked-line"
      tabIndex={-1}
      onClick={() => workspace.reveal.set({ node: asked.node, how: 'center' })}
    >
      <span className="mark mark-person" />
      <span className="asked-who">You asked, turn {asked.number}</span>
      <strong className="cut">{oneLine(asked.words)}</strong>
      <span className="grow" />
      <time dateTime={asked.time}>{messageTime(time, Date.now())}</time>
      <Icon name="up" small />
    </button>
  );
}
