import type { ReactElement } from 'react';
import { IconButton } from '../ui/IconButton.tsx';
import { PlaceLink } from '../ui/PlaceLink.tsx';
import { placeOf } from './board-entry.ts';
import type { BoardEntryProps } from './board-entry.ts';
import { decideWords } from './board-words.ts';

/** The actions on a turn. Only the turn that keys act on is reached with Tab. */
export function BoardActions({ item, calls, isCurrent, isDeciding, onDecide, onStop }: BoardEntryProps): ReactElement {
  const { row, part } = item;
  const tabIndex = isCurrent ? 0 : -1;
  const place = placeOf(row);
  return (
    <span className="board-actions">
      {part === 'needs' && (row.state === 'waiting' || isDeciding) && (
        <button
          type="button"
          className="button"
          tabIndex={tabIndex}
          aria-expanded={isDeciding}
          title="Decide here (D)"
          onClick={onDecide}
        >
          {isDeciding ? 'Fold' : decideWords(row, calls)}
        </button>
      )}
      {row.state === 'running' && row.turn !== undefined && (
        <IconButton icon="stop" label="Stop" keys="S" tabIndex={tabIndex} onClick={onStop} />
      )}
      {row.state === 'done' && row.files !== undefined && (
        <PlaceLink
          place={{ name: 'review', root: row.root, node: row.node, scope: 'turn' }}
          className="button"
          tabIndex={tabIndex}
        >
          Review
        </PlaceLink>
      )}
      {row.state === 'failed' && (
        <PlaceLink place={place} className="button" tabIndex={tabIndex}>
          What now…
        </PlaceLink>
      )}
      {row.question !== undefined && (
        <PlaceLink
          place={{ name: 'agents', question: row.question }}
          className="button button-quiet"
          tabIndex={tabIndex}
        >
          Side by side
        </PlaceLink>
      )}
      <PlaceLink place={place} className="button button-quiet board-open" tabIndex={tabIndex}>
        Open
      </PlaceLink>
    </span>
  );
}
