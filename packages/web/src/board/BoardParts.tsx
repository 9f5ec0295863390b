import type { ReactElement } from 'react';
import type { WaitingCall } from '../tray/waiting-calls.ts';
import { Elapsed } from '../ui/Elapsed.tsx';
import { dollars } from '../words/amounts.ts';
import { count } from '../words/amounts.ts';
import { exactTime, shortTime } from '../words/times.ts';
import type { BoardRow } from './board.ts';
import { detailsOf, lineOf } from './board-words.ts';

const marks: { readonly [State in BoardRow['state']]: { className: string; words: string } } = {
  waiting: { className: 'mark mark-waiting', words: 'Needs you' },
  running: { className: 'mark mark-model mark-running', words: 'Running' },
  done: { className: 'mark mark-model', words: 'Done' },
  stopped: { className: 'mark mark-model', words: 'Stopped' },
  failed: { className: 'mark mark-failed', words: 'Failed' },
};

/** The state of a turn as a shape. */
export function BoardMark({ state }: { state: BoardRow['state'] }): ReactElement {
  const { className, words } = marks[state];
  return <span className={className} role="img" aria-label={words} title={words} />;
}

/** The last line of a turn, with the files that it changed. */
export function LastLine({ row, calls }: { row: BoardRow; calls: readonly WaitingCall[] }): ReactElement {
  const { words, code } = lineOf(row, calls);
  const details = detailsOf(row);
  return (
    <>
      {words}
      {code !== undefined && code !== '' && (
        <>
          {' '}
          <code title={code}>{code}</code>
        </>
      )}
      {details !== '' && ` · ${details}`}
      {row.files !== undefined && ' · '}
      <ChangedFiles row={row} />
    </>
  );
}

/** The files that a turn has changed, and their lines. */
export function ChangedFiles({ row: { files } }: { row: BoardRow }): ReactElement | null {
  if (files === undefined) return null;
  return (
    <>
      {`${count(files.count, 'file')} `}
      <span className="lines-added">+{files.added}</span> <span className="lines-removed">−{files.removed}</span>
    </>
  );
}

/** The time that a turn has waited or run, or that has passed since its end. */
export function BoardTime({ row, now }: { row: BoardRow; now: number }): ReactElement {
  const { state, started_at: started, changed_at: changed } = row;
  if (state === 'running') return <Elapsed since={started} />;
  const time = Date.parse(changed);
  const short = shortTime(time, now);
  return (
    <time className="figures" dateTime={changed} title={exactTime(time)}>
      {state === 'waiting' || !/^\d+[mh]$/u.test(short) ? short : `${short} ago`}
    </time>
  );
}

/** The cost of a turn so far; nothing where that is not known. */
export function BoardCost({ row: { cost_usd: cost } }: { row: BoardRow }): ReactElement {
  return <span className="figures">{cost === undefined ? '' : dollars(cost)}</span>;
}
