import type { ReactElement } from 'react';
import { Icon } from '../ui/Icon.tsx';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import type { BoardRow as Row } from './board.ts';
import { placeOf, titleOf } from './board-entry.ts';
import type { BoardEntryProps } from './board-entry.ts';
import { BoardActions } from './BoardActions.tsx';
import { BoardCost, BoardMark, BoardTime, LastLine } from './BoardParts.tsx';
import { speakerOf } from './board-words.ts';
import { Waiting } from './Waiting.tsx';
import type { FolderFacts } from './folder-facts.ts';
import { folderName } from '../work/paths.ts';

/** One turn, in a line of the list. */
export function BoardRow(props: BoardEntryProps): ReactElement {
  const { item, calls, folder, now, isCurrent, isDeciding, onCurrent } = props;
  const { row, movedAt } = item;
  const classes = [
    'board-row',
    row.state === 'waiting' && 'board-row-waiting',
    movedAt !== undefined && 'board-row-moved',
  ];
  return (
    <li className={classes.filter(Boolean).join(' ')} data-row={row.id} onFocus={onCurrent}>
      <span className="board-mark">
        <BoardMark state={row.state} />
      </span>
      <div className="board-said">
        <PlaceLink place={placeOf(row)} className="board-title cut" tabIndex={isCurrent ? 0 : -1}>
          {titleOf(row)}
        </PlaceLink>
        <div className="board-line cut">
          <LastLine row={row} calls={calls} />
        </div>
      </div>
      <div className="board-where">
        <div className="cut">
          <Folder row={row} folder={folder} />
        </div>
        <div className="cut board-speaker">{speakerOf(row)}</div>
      </div>
      <span className="board-time">
        <BoardTime row={row} now={now} />
      </span>
      <span className="board-cost">
        <BoardCost row={row} />
      </span>
      <BoardActions {...props} />
      {isDeciding && <Waiting row={row} calls={calls} />}
    </li>
  );
}

/** The folder of a turn, with its branch. */
export function Folder({
  row: { directory },
  folder,
}: {
  row: Row;
  folder: FolderFacts | undefined;
}): ReactElement | null {
  if (directory === undefined) return <span className="board-branch">no folder</span>;
  return (
    <span title={directory}>
      <Icon name="folder" small />
      {folderName(folder?.repository ?? directory)}
      <span className="board-branch">
        {folder?.exists === false && ' no longer there'}
        {folder?.branch !== undefined && ` ${folder.branch}`}
        {folder?.isWorktree === true && ' · worktree'}
      </span>
    </span>
  );
}
