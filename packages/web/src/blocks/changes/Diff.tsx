import { memo, useMemo } from 'react';
import type { ComponentProps, ReactElement, ReactNode } from 'react';
import type { DiffView } from '../../app/preferences.ts';
import { useFold } from '../folding/use-fold.ts';
import { splitRows, textOf } from './diff-rows.ts';
import type { DiffRow } from './diff-rows.ts';
import { grouped } from '../../words/amounts.ts';
import { LineNumber, useTellWriters } from './LineNumber.tsx';

/** The number of rows shown of a longer diff until the reader wants all. */
const mostRows = 60;

interface DiffProps {
  id: string;
  rows: readonly DiffRow[];
  view: DiffView;
  path: string;
}

/** The lines that differ, in one column or with both sides beside each other. */
export const Diff = memo(function Diff({ id, rows, view, path }: DiffProps): ReactElement {
  const [showsAll, toggle] = useFold(`${id} rows`);
  const shown = showsAll ? rows : rows.slice(0, mostRows);
  const about = { path, tellWriters: useTellWriters() };
  return (
    <>
      <div className={`diff diff-${view} scroll`} tabIndex={0} role="group" aria-label={`Changes of ${path}`}>
        {view === 'split' ? (
          <SplitDiff rows={shown} about={about} />
        ) : (
          shown.map((row, index) => <UnifiedLine key={index} row={row} about={about} />)
        )}
      </div>
      {rows.length > mostRows && (
        <div className="tool-foot">
          <button type="button" className="text-button" onClick={toggle}>
            {showsAll ? 'Show the first lines' : `Show all ${grouped(rows.length)} lines`}
          </button>
        </div>
      )}
    </>
  );
});

const signs: Readonly<Record<DiffRow['kind'], string>> = { same: '', add: '+', delete: '−', heading: '' };

type About = Pick<ComponentProps<typeof LineNumber>, 'path' | 'tellWriters'>;

function UnifiedLine({ row, about }: { row: DiffRow; about: About }): ReactElement {
  return (
    <div className={`diff-line diff-${row.kind}`}>
      <span className="diff-number">{row.before}</span>
      <LineNumber {...about} line={row.after} text={textOf(row)} />
      <span className="diff-sign">{signs[row.kind]}</span>
      <DiffText row={row} />
    </div>
  );
}

function SplitDiff({ rows, about }: { rows: readonly DiffRow[]; about: About }): ReactElement {
  const split = useMemo(() => splitRows(rows), [rows]);
  return (
    <>
      {split.map(({ left, right }, index) =>
        left?.kind === 'heading' ? (
          <div key={index} className="diff-line diff-heading diff-both">
            <DiffText row={left} />
          </div>
        ) : (
          <div key={index} className="diff-pair">
            <Side row={left} number={<span className="diff-number">{left?.before}</span>} />
            <Side row={right} number={right && <LineNumber {...about} line={right.after} text={textOf(right)} />} />
          </div>
        ),
      )}
    </>
  );
}

function Side({ row, number }: { row: DiffRow | undefined; number: ReactNode }): ReactElement {
  if (row === undefined) return <div className="diff-side diff-gap" />;
  return (
    <div className={`diff-side diff-${row.kind}`}>
      {number}
      <span className="diff-sign">{signs[row.kind]}</span>
      <DiffText row={row} />
    </div>
  );
}

function DiffText({ row: { kind, parts } }: { row: DiffRow }): ReactElement {
  return (
    <span className="diff-text">
      {kind === 'heading' && '@@ '}
      {parts.map(({ text, isMarked }, index) =>
        isMarked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
      )}
    </span>
  );
}
