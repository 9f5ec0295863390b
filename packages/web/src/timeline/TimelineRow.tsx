import { memo } from 'react';
import type { ReactElement } from 'react';
import { ContentRow } from '../blocks/ContentRow.tsx';
import type { Row } from '../conversation/rows.ts';
import { dayName } from '../words/times.ts';
import { BlockFrame } from './BlockFrame.tsx';
import { ContextLine } from './ContextLine.tsx';
import { ForkNote } from './ForkNote.tsx';
import { LoadingRow } from './LoadingRow.tsx';
import { MessageHeader } from './MessageHeader.tsx';
import { TurnEnd } from './TurnEnd.tsx';
import { ProgramNotice } from './ProgramNotice.tsx';

/** One row of the timeline. */
export const TimelineRow = memo(function TimelineRow({ row }: { row: Row }): ReactElement {
  switch (row.kind) {
    case 'header':
      return <MessageHeader id={row.node} />;
    case 'block':
    case 'tool':
    case 'tools':
    case 'hidden':
      return (
        <BlockFrame row={row} className={rowClass(row)}>
          <ContentRow row={row} />
        </BlockFrame>
      );
    case 'notice':
      return (
        <BlockFrame row={row} className="row row-tool row-notice">
          <ProgramNotice row={row} />
        </BlockFrame>
      );
    case 'fork':
      return <ForkNote node={row.node} next={row.next} />;
    case 'day':
      return <div className="day-line">{dayName(row.time, Date.now())}</div>;
    case 'context-start':
      return <ContextLine node={row.node} />;
    case 'turn-end':
      return <TurnEnd node={row.node} turn={row.turn} />;
    case 'loading':
      return <LoadingRow node={row.node} />;
  }
});

/**
 * Returns the class of a row. Words stand further from their neighbors than one line of a tool from the next; the blocks of a person's
 * message share one background.
 */
function rowClass(row: Row): string {
  if (row.kind !== 'block') return 'row row-tool';
  if (row.said !== undefined) return `row row-said-${row.said}`;
  return row.type === 'text' || row.type === 'error' ? 'row row-prose' : 'row row-tool';
}
