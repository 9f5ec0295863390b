import { useState } from 'react';
import type { ReactElement } from 'react';
import { ChangeKind } from '../blocks/changes/ChangeKind.tsx';
import { Question } from '../ui/floating/Question.tsx';
import { count } from '../words/amounts.ts';
import { FilePath } from '../blocks/paths/FilePath.tsx';
import { useWorkHost } from '../work/work-host.ts';
import { goesBack, keptWords, staysBecause } from './change-set.ts';
import type { ChangedFile } from './change-set.ts';
import { ChangeNotes } from './ChangeNotes.tsx';
import { undoFiles } from './undo-files.ts';

interface UndoDialogProps {
  root: string;
  files: readonly ChangedFile[];
  /** Remarks about changes that are not known, where all of them are to go back. */
  notes?: readonly string[] | undefined;
  onClose: () => void;
}

/** Asks before files go back: says which do, and which stay with the reason. */
export function UndoDialog({ root, files, notes, onClose }: UndoDialogProps): ReactElement {
  const host = useWorkHost();
  const back = files.filter(goesBack);
  const staying = files.filter((file) => !goesBack(file));
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  const chosen = back.filter(({ path }) => !left.has(path));
  const toggle = (path: string): void => {
    const now = new Set(left);
    if (!now.delete(path)) now.add(path);
    setLeft(now);
  };
  const undo = (): void => {
    if (chosen.length > 0) host.attempt(() => undoFiles(host, root, chosen));
  };
  const title =
    files.length === 1 ? 'Undo the changes to this file?' : `Undo the changes to ${count(files.length, 'file')}?`;
  const action = chosen.length === 0 ? 'Close' : `Undo ${count(chosen.length, 'file')}`;
  return (
    <Question title={title} action={action} onAnswer={undo} onClose={onClose}>
      {back.length > 0 && (
        <>
          <p>
            {back.length === 1
              ? 'This file goes back to how it was before:'
              : `${back.length} files go back to how they were before:`}
          </p>
          <ul className="undo-files">
            {back.map((file) => (
              <li key={file.path}>
                <label className="undo-file">
                  <input type="checkbox" checked={!left.has(file.path)} onChange={() => toggle(file.path)} />
                  <ChangeKind kind={file.kind} />
                  <span className="grow">
                    <FilePath path={file.path} />
                    {keptWords(file) !== undefined && <small>{keptWords(file)}</small>}
                  </span>
                </label>
              </li>
            ))}
          </ul>
        </>
      )}
      {staying.length > 0 && (
        <>
          <p>{staying.length === 1 ? '1 file stays as it is:' : `${staying.length} files stay as they are:`}</p>
          <ul className="undo-files">
            {staying.map((file) => (
              <li key={file.path} className="undo-file undo-stays">
                <ChangeKind kind={file.kind} />
                <span className="grow">
                  <FilePath path={file.path} />
                  <small>{staysBecause(file)}</small>
                </span>
              </li>
            ))}
          </ul>
        </>
      )}
      <ChangeNotes notes={notes} />
      <p>The conversation stays. You can redo this until the files change again.</p>
    </Question>
  );
}
