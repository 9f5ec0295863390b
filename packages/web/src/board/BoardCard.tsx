import type { ReactElement } from 'react';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { folderName } from '../work/paths.ts';
import { BoardActions } from './BoardActions.tsx';
import { BoardCost, BoardMark, BoardTime, LastLine } from './BoardParts.tsx';
import { placeOf, titleOf } from './board-entry.ts';
import type { BoardEntryProps } from './board-entry.ts';
import { speakerOf } from './board-words.ts';
import { Waiting } from './Waiting.tsx';

/** One turn, in a column. */
export function BoardCard(props: BoardEntryProps): ReactElement {
  const { item, calls, folder, now, isCurrent, isDeciding, onCurrent } = props;
  const { row } = item;
  const place = row.directory === undefined ? undefined : folderName(folder?.repository ?? row.directory);
  return (
    <li
      className={row.state === 'waiting' ? 'board-card board-card-waiting' : 'board-card'}
      data-row={row.id}
      onFocus={onCurrent}
    >
      <div className="board-card-head">
        <BoardMark state={row.state} />
        <PlaceLink place={placeOf(row)} className="board-title cut" tabIndex={isCurrent ? 0 : -1}>
          {titleOf(row)}
        </PlaceLink>
      </div>
      <div className="board-line cut">
        <LastLine row={row} calls={calls} />
      </div>
      <div className="board-facts">
        <span className="cut" title={speakerOf(row)}>
          {place ?? speakerOf(row)}
        </span>
        <BoardTime row={row} now={now} />
        <BoardCost row={row} />
      </div>
      <BoardActions {...props} />
      {isDeciding && <Waiting row={row} calls={calls} />}
    </li>
  );
}
