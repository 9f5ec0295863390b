import { Fragment, memo, useMemo } from 'react';
import type { ReactElement } from 'react';
import type { BlockHost } from '../blocks/block-host.ts';
import { splitRows, textOf } from '../blocks/changes/diff-rows.ts';
import type { DiffRow } from '../blocks/changes/diff-rows.ts';
import { LineNumber, useTellWriters } from '../blocks/changes/LineNumber.tsx';
import { usePart } from '../stores/use-part.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { CommentField, CommentView } from './Comment.tsx';
import { excerptAt, isAt, placeOf } from './comments.ts';
import { useReview } from './review-context.ts';

interface ReviewLinesProps {
  path: string;
  rows: readonly DiffRow[];
  view: 'unified' | 'split';
}

/** The lines of a change, each with its comment, in one column or with both sides beside each other. */
export const ReviewLines = memo(function ReviewLines({ path, rows, view }: ReviewLinesProps): ReactElement {
  const split = useMemo(() => (view === 'split' ? splitRows(rows) : undefined), [rows, view]);
  const gaps = useMemo(() => gapsOf(rows), [rows]);
  const tellWriters = useTellWriters();
  return (
    <div className={`review-lines diff diff-${view}`} role="group" aria-label={`Changes of ${path}`}>
      {split === undefined
        ? rows.map((row, index) => (
            <Fragment key={index}>
              <Gap lines={gaps.get(index)} />
              {row.kind !== 'heading' && (
                <div className={`diff-line review-line diff-${row.kind}`}>
                  <CommentButton path={path} row={row} isStart={isStart(rows, index)} />
                  <span className="diff-number">{row.before}</span>
                  <LineNumber path={path} line={row.after} text={textOf(row)} tellWriters={tellWriters} />
                  <LineText row={row} />
                </div>
              )}
              <LineComments path={path} rows={rows} row={row} />
            </Fragment>
          ))
        : split.map(({ left, right }, index) => (
            <Fragment key={index}>
              <Gap lines={left?.kind === 'heading' ? gaps.get(rows.indexOf(left)) : undefined} />
              {left?.kind !== 'heading' && (
                <div className="diff-pair">
                  <Side path={path} rows={rows} row={left} />
                  <Side path={path} rows={rows} row={right} tellWriters={tellWriters} isRight />
                </div>
              )}
              {left !== undefined && left.kind === 'delete' && <LineComments path={path} rows={rows} row={left} />}
              {right !== undefined && <LineComments path={path} rows={rows} row={right} />}
            </Fragment>
          ))}
    </div>
  );
});

interface SideProps {
  path: string;
  rows: readonly DiffRow[];
  row: DiffRow | undefined;
  isRight?: boolean;
  tellWriters?: BlockHost['tellWriters'];
}

function Side({ path, rows, row, isRight = false, tellWriters }: SideProps): ReactElement {
  if (row === undefined) return <div className="diff-side diff-gap" />;
  // An unchanged line stands on both sides, and is commented on at the right.
  const hasButton = isRight || row.kind === 'delete';
  return (
    <div className={`diff-side review-line diff-${row.kind}`}>
      {hasButton && <CommentButton path={path} row={row} isStart={isStart(rows, rows.indexOf(row))} />}
      {isRight ? (
        <LineNumber path={path} line={row.after} text={textOf(row)} tellWriters={tellWriters} />
      ) : (
        <span className="diff-number">{row.before}</span>
      )}
      <LineText row={row} />
    </div>
  );
}

const signs: Readonly<Record<DiffRow['kind'], string>> = { same: '', add: '+', delete: '−', heading: '' };

function LineText({ row: { kind, parts } }: { row: DiffRow }): ReactElement {
  return (
    <>
      <span className="diff-sign">{signs[kind]}</span>
      <span className="diff-text">
        {parts.map(({ text, isMarked }, index) =>
          isMarked ? <mark key={index}>{text}</mark> : <span key={index}>{text}</span>,
        )}
      </span>
    </>
  );
}

function CommentButton({ path, row, isStart }: { path: string; row: DiffRow; isStart: boolean }): ReactElement | null {
  const review = useReview();
  const place = placeOf(path, row);
  if (place === undefined) return null;
  return (
    <button
      type="button"
      className="review-comment-button"
      title="Comment; Shift+click on another line for all lines in between"
      tabIndex={-1}
      data-change-start={isStart ? '' : undefined}
      aria-label={`Comment on line ${place.line}${place.side === 'before' ? ', before the change' : ''}`}
      onClick={(event) => review.write(place, { isRange: event.shiftKey })}
    >
      <Icon name="plus" small />
    </button>
  );
}

/** The comment about a line, or the field for one. */
function LineComments({
  path,
  rows,
  row,
}: Pick<ReviewLinesProps, 'path' | 'rows'> & { row: DiffRow }): ReactElement | null {
  const { comments, writing } = useReview();
  const place = placeOf(path, row);
  const written = usePart(writing, (at) =>
    at !== undefined && place !== undefined && isAt(at, place) ? at : undefined,
  );
  const all = useStore(comments);
  if (place === undefined) return null;
  const comment = all.find((one) => isAt(one, place));
  if (written !== undefined) {
    const excerpt = excerptAt(rows, rows.indexOf(row), written.from);
    return <CommentField place={written} excerpt={excerpt} comment={comment} />;
  }
  return comment === undefined ? null : <CommentView comment={comment} />;
}

function Gap({ lines }: { lines: number | undefined }): ReactElement | null {
  if (lines === undefined || lines <= 0) return null;
  return <p className="review-gap">{count(lines, 'unchanged line')}</p>;
}

/** Returns true if a row is the first of a place where something changed. */
function isStart(rows: readonly DiffRow[], index: number): boolean {
  const changed = (row: DiffRow | undefined): boolean => row?.kind === 'add' || row?.kind === 'delete';
  return changed(rows[index]) && !changed(rows[index - 1]);
}

/** The number of lines that a diff leaves out before each of its headings. */
function gapsOf(rows: readonly DiffRow[]): ReadonlyMap<number, number> {
  const gaps = new Map<number, number>();
  let last = 0;
  for (const [index, row] of rows.entries()) {
    if (row.kind === 'heading') {
      const next = rows[index + 1];
      const start = next?.before ?? rows.slice(index + 1).find(({ before }) => before !== undefined)?.before;
      if (start !== undefined) gaps.set(index, start - last - 1);
    } else if (row.before !== undefined) last = row.before;
  }
  return gaps;
}
