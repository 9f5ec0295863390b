import { useState } from 'react';
import type { ReactElement } from 'react';
import { LineCounts } from '../blocks/changes/LineCounts.tsx';
import { Icon } from '../ui/Icon.tsx';
import { count } from '../words/amounts.ts';
import { useMay } from '../work/use-may.ts';
import { useWorkHost } from '../work/work-host.ts';
import { ChangedFileRow } from './ChangedFileRow.tsx';
import { ChangeNotes } from './ChangeNotes.tsx';
import { inOrder, rootOf, totals } from './change-set.ts';
import { useChanges } from './use-changes.ts';
import { UndoDialog } from './UndoDialog.tsx';

/** The number of files listed until the reader wants all. */
const mostFiles = 12;

/** The files that a turn has changed, at its end: to review, and to take back. Where nothing is known of the changes, it says only that. */
export function TurnCard({ node }: { node: string }): ReactElement | null {
  const { openReview } = useWorkHost();
  const { value, failure } = useChanges({ node, scope: 'turn' }, '');
  const mayUndo = useMay('turn.undo_files') === true;
  const [isUndoing, setUndoing] = useState(false);
  const [showsAll, setShowsAll] = useState(false);
  if (failure !== undefined) return <p className="turn-card-failure">The changed files cannot be listed. {failure}</p>;
  if (value === undefined || value.files.length + value.notes.length === 0) return null;
  const files = inOrder(value.files);
  const shown = showsAll ? files : files.slice(0, mostFiles);
  return (
    <section className="turn-card" aria-label="Changed files">
      <div className="turn-card-head">
        <Icon name="change" />
        <strong>
          {files.length === 0 ? 'Changes to files are not known' : `${count(files.length, 'file')} changed`}
        </strong>
        {files.length > 0 && <LineCounts {...totals(files)} />}
        <span className="grow" />
        {mayUndo && files.length > 0 && (
          <button type="button" className="button button-quiet" onClick={() => setUndoing(true)}>
            <Icon name="undo" />
            <span>
              Undo<span className="not-narrow"> file changes</span>…
            </span>
          </button>
        )}
        {files.length > 0 && (
          <button type="button" className="button button-primary" onClick={() => openReview({ node, scope: 'turn' })}>
            Review changes
          </button>
        )}
      </div>
      <ChangeNotes notes={value.notes} />
      <ul>
        {shown.map((file) => (
          <ChangedFileRow
            key={file.path}
            file={file}
            onOpen={() => openReview({ node, scope: 'turn', file: file.path })}
          />
        ))}
      </ul>
      {files.length > mostFiles && !showsAll && (
        <button type="button" className="text-button turn-card-more" onClick={() => setShowsAll(true)}>
          Show {count(files.length - mostFiles, 'more file')}
        </button>
      )}
      {isUndoing && (
        <UndoDialog root={rootOf(node)} files={files} notes={value.notes} onClose={() => setUndoing(false)} />
      )}
    </section>
  );
}
