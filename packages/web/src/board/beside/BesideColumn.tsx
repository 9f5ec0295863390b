import type { ReactElement } from 'react';
import { Markdown } from '../../markdown/Markdown.tsx';
import { useAsked } from '../../stores/use-asked.ts';
import type { WaitingCall } from '../../tray/waiting-calls.ts';
import { PlaceLink } from '../../ui/PlaceLink.tsx';
import type { BoardRow } from '../board.ts';
import { placeOf } from '../board-entry.ts';
import { useBoardHost } from '../board-host.ts';
import { BoardCost, BoardMark, BoardTime, ChangedFiles, LastLine } from '../BoardParts.tsx';
import { Folder } from '../BoardRow.tsx';
import { speakerOf } from '../board-words.ts';
import type { FolderFacts } from '../folder-facts.ts';
import { Waiting } from '../Waiting.tsx';

interface BesideColumnProps {
  row: BoardRow;
  /** Its number, as `1 of 3`. */
  place: string;
  calls: readonly WaitingCall[];
  folder: FolderFacts | undefined;
  now: number;
  /** True if Tab reaches it; the arrows go to the others. */
  isChosen: boolean;
  onChoose: () => void;
  onStop: () => void;
}

/** The answer of one agent. */
export function BesideColumn(props: BesideColumnProps): ReactElement {
  const { row, place, calls, folder, now, isChosen, onChoose, onStop } = props;
  const isOver = row.state !== 'running' && row.state !== 'waiting';
  return (
    <section
      className={isChosen ? 'beside-column beside-column-chosen' : 'beside-column'}
      aria-label={`${speakerOf(row)}, ${place}`}
      tabIndex={isChosen ? 0 : -1}
      onFocus={onChoose}
    >
      <header className="beside-head">
        <div className="beside-line">
          <BoardMark state={row.state} />
          <strong className="cut">{speakerOf(row)}</strong>
          <span className="grow" />
          <BoardTime row={row} now={now} />
          <BoardCost row={row} />
        </div>
        <div className="cut board-where">
          <Folder row={row} folder={folder} />
        </div>
      </header>
      <div className="beside-body">
        {row.state === 'done' && <Answer row={row} />}
        <p className="beside-last">
          {row.state === 'done' ? <ChangedFiles row={row} /> : <LastLine row={row} calls={calls} />}
        </p>
        {row.state === 'waiting' && <Waiting row={row} calls={calls} />}
      </div>
      <footer className="beside-actions">
        {row.state === 'running' && row.turn !== undefined && (
          <button type="button" className="button" onClick={onStop}>
            Stop this one
          </button>
        )}
        {isOver && row.files !== undefined && (
          <PlaceLink place={{ name: 'review', root: row.root, node: row.node, scope: 'turn' }} className="button">
            Review
          </PlaceLink>
        )}
        <PlaceLink place={placeOf(row)} className={isOver && isChosen ? 'button button-primary' : 'button'}>
          {isOver ? 'Continue with this' : 'Open'}
        </PlaceLink>
      </footer>
    </section>
  );
}

/** The text of the last message of a turn that is over. */
function Answer({ row }: { row: BoardRow }): ReactElement | null {
  const { ask } = useBoardHost();
  const { value, failure } = useAsked(`${row.node} ${row.changed_at}`, () => ask('node.get', { node: row.node }));
  if (failure !== undefined) return <p role="alert">{failure}</p>;
  const text = value?.message.content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('\n\n');
  return text === undefined ? null : <Markdown text={text} />;
}
