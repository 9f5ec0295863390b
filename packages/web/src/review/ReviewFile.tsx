import { useMemo, useState } from 'react';
import type { ReactElement } from 'react';
import { ChangeKind } from '../blocks/changes/ChangeKind.tsx';
import { LineCounts } from '../blocks/changes/LineCounts.tsx';
import { readDiff } from '../blocks/changes/diff-rows.ts';
import { useStore } from '../stores/use-store.ts';
import { Icon } from '../ui/Icon.tsx';
import { grouped } from '../words/amounts.ts';
import { FilePath } from '../blocks/paths/FilePath.tsx';
import { OpenInEditor } from '../blocks/paths/OpenInEditor.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { goesBack, keptWords, staysBecause } from './change-set.ts';
import type { ChangedFile } from './change-set.ts';
import { fileId } from './FileList.tsx';
import { ReviewLines } from './ReviewLines.tsx';
import { useReview } from './review-context.ts';
import { contentKey } from './viewed.ts';

/** The number of rows shown of a longer diff until the reader wants all. */
const mostRows = 400;

interface ReviewFileProps {
  file: ChangedFile;
  view: 'unified' | 'split';
  /** Absent for readers who may not undo. */
  onUndo: (() => void) | undefined;
}

/** One changed file: its name, its state, and the lines that differ. A viewed one is folded. */
export function ReviewFile({ file, view, onUndo }: ReviewFileProps): ReactElement {
  const { attempt } = useWorkHost();
  const { viewed } = useReview();
  const isViewed = useStore(viewed.keys).has(contentKey(file));
  const [fold, setFold] = useState<{ isOpen: boolean; isViewed: boolean }>();
  const [showsAll, setShowsAll] = useState(false);
  const { path, kind, from, diff, added, removed, state } = file;
  const rows = useMemo(() => (diff === undefined ? [] : readDiff(diff).rows), [diff]);
  // Ticking "viewed" folds it, whatever it was before.
  const isOpen = fold?.isViewed === isViewed ? fold.isOpen : !isViewed;
  const shown = showsAll ? rows : rows.slice(0, mostRows);
  return (
    <section id={fileId(path)} className="review-file" data-path={path} aria-label={path}>
      <div className="review-file-bar">
        <button
          type="button"
          className="review-file-head"
          aria-expanded={isOpen}
          onClick={() => setFold({ isOpen: !isOpen, isViewed })}
        >
          <Icon name={isOpen ? 'down' : 'right'} small />
          <ChangeKind kind={kind} />
          <FilePath path={path} />
          {from !== undefined && <span className="quiet cut">from {from}</span>}
          <LineCounts added={added} deleted={removed} />
        </button>
        <OpenInEditor path={path} line={rows.find(({ kind: what }) => what === 'add')?.after} />
        <span className="grow" />
        {state === 'changed-since' && <span className="chip chip-waiting">changed since</span>}
        {state === 'undone' && <span className="chip">undone</span>}
        <label className="review-viewed">
          <input
            type="checkbox"
            aria-label="Viewed"
            checked={isViewed}
            onChange={(event) => attempt(() => viewed.set(file, event.target.checked))}
          />
          <span className="not-narrow">Viewed</span>
        </label>
        {onUndo !== undefined && state !== 'undone' && (
          <button
            type="button"
            className="button button-quiet review-undo"
            aria-label="Undo this file"
            onClick={onUndo}
          >
            <Icon name="undo" />
            <span className="not-narrow">Undo this file</span>
          </button>
        )}
      </div>
      {isOpen && (
        <>
          {state === 'changed-since' && (
            <p className="review-note">
              <Icon name="warning" />
              <span>
                <strong>This file was changed after the turn.</strong>{' '}
                {goesBack(file) ? keptWords(file) : staysBecause(file)}
              </span>
            </p>
          )}
          {state !== 'changed-since' && state !== 'undone' && !goesBack(file) && (
            <p className="review-note review-note-quiet">{staysBecause(file)}</p>
          )}
          {shown.length === 0 ? (
            <p className="review-note review-note-quiet">
              {diff === undefined ? 'There is no text to compare.' : 'No line is different.'}
            </p>
          ) : (
            <ReviewLines path={path} rows={shown} view={view} />
          )}
          {rows.length > shown.length && (
            <button type="button" className="text-button review-more" onClick={() => setShowsAll(true)}>
              Show all {grouped(rows.length)} lines
            </button>
          )}
        </>
      )}
    </section>
  );
}
