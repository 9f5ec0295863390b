import { startTransition, useCallback, useEffect, useRef, useState } from 'react';
import type { ReactElement } from 'react';
import { Virtualizer } from 'virtua';
import type { VirtualizerHandle } from 'virtua';
import { useConversation, useLoom } from '../app/loom-context.ts';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { useLate } from '../ui/use-late.ts';
import { count } from '../words/amounts.ts';
import { later } from '../ui/later.tsx';
import { MessageRail } from './rail/MessageRail.tsx';
import { TimelineRow } from './TimelineRow.tsx';
import { useAnchor } from './use-anchor.ts';
import { useKeptPosition } from './position/use-kept-position.ts';
import { useReveal } from './use-reveal.ts';
import { useRowScroll } from './position/use-row-scroll.ts';
import { useTail } from './use-tail.ts';
import { useTimelineCommands } from './use-timeline-commands.ts';

const AskedLine = later(async () => (await import('./turns/AskedLine.tsx')).AskedLine);

/**
 * The number of rows that stay in the document while the end is followed, instead of those within a distance of the screen: these the list
 * takes out with each line that is added below, and puts back as soon as scrolling stops.
 */
const keptAtEnd = 32;
/** The number of them drawn first: a screen of rows is seen sooner without those above it. */
const firstAtEnd = 10;
/** The others follow after so long, in milliseconds. */
const untilKept = 300;

/** The messages of the branch on display. Only the rows near the screen are in the document. */
export function Timeline(): ReactElement {
  const conversation = useConversation();
  const rows = useStore(conversation.rows);
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const list = useRef<VirtualizerHandle>(null);
  const isWhole = useCallback(() => conversation.isOutlined, [conversation]);
  const { isBehind, missed, goToTail, leaveTail } = useTail({ scroller, content, rows, isWhole });
  // Before what scrolls to a row: that has the last word.
  const isShifted = useAnchor({ rows, list });
  const scrollToRow = useRowScroll({ rows, list, scroller, isWhole });
  useKeptPosition({ rows, list, scroller, scrollToRow, leaveTail });
  useReveal({ rows, scrollToRow, leaveTail });
  useTimelineCommands(goToTail);
  const kept = useKeptAtEnd(rows.length > 0);
  const edited = usePart(useLoom().workspace.editing, (editing) => editing?.block);
  return (
    <div className="timeline-frame" data-keys="timeline">
      <div className="timeline scroll" ref={scroller} role="feed" aria-label="Conversation" tabIndex={0}>
        {rows.length === 0 && <Awaited />}
        <div className="timeline-column" ref={content}>
          <Virtualizer
            ref={list}
            scrollRef={scroller}
            bufferSize={isBehind ? 800 : 0}
            keepMounted={[
              ...(isBehind ? [] : lastRows(rows.length, kept)),
              // Its reader goes on where they were.
              ...rows.flatMap((row, at) =>
                edited !== undefined && 'block' in row && row.block === edited ? [at] : [],
              ),
            ]}
            shift={isShifted}
            data={rows}
            item="article"
          >
            {(row) => <TimelineRow key={row.key} row={row} />}
          </Virtualizer>
        </div>
      </div>
      <AskedLine rows={rows} list={list} scroller={scroller} />
      <MessageRail />
      {isBehind && (
        <button type="button" className="button jump" onClick={goToTail}>
          {missed === 0 ? 'Latest' : count(missed, 'new block')} ↓
        </button>
      )}
    </div>
  );
}

/** Shapes in the place of the first rows and, if that lasts, a note on what is missing. */
function Awaited(): ReactElement | null {
  const { status } = useStore(useConversation().watch.whole);
  const isLate = useLate(status === 'joining');
  const isVeryLate = useLate(status === 'joining', 2000);
  if (!isLate) return null;
  return (
    <div className="timeline-column shapes" role="status" aria-label="Loading the conversation">
      {isVeryLate ? <p>The server is reading this conversation. Long ones take a moment the first time.</p> : shapes}
    </div>
  );
}

const shapes = ['', ' shape-short', '', ' shape-short'].map((width, index) => (
  <div key={index} className={`shape${width}`} />
));

/** Returns the number of rows kept at the end: few until a first frame was painted, so that it comes soon. */
function useKeptAtEnd(hasRows: boolean): number {
  const [kept, setKept] = useState(firstAtEnd);
  useEffect(() => {
    if (!hasRows) return undefined;
    const timer = setTimeout(() => startTransition(() => setKept(keptAtEnd)), untilKept);
    return () => clearTimeout(timer);
  }, [hasRows]);
  return kept;
}

/** The places of the last rows. */
function lastRows(length: number, kept: number): number[] {
  const first = Math.max(0, length - kept);
  return Array.from({ length: length - first }, (_, index) => first + index);
}
