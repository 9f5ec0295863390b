import type { ReactElement } from 'react';
import { ChangeKind } from '../blocks/changes/ChangeKind.tsx';
import { LineCounts } from '../blocks/changes/LineCounts.tsx';
import { FilePath } from '../blocks/paths/FilePath.tsx';
import { goesBack, staysBecause } from './change-set.ts';
import type { ChangedFile } from './change-set.ts';

interface ChangedFileRowProps {
  file: ChangedFile;
  /** Shows all changes of the file. */
  onOpen?: (() => void) | undefined;
}

/** A changed file in a list: its kind, its path, its state now, and its lines. */
export function ChangedFileRow({ file, onOpen }: ChangedFileRowProps): ReactElement {
  const { path, kind, added, removed, state } = file;
  const isStuck = state !== 'undone' && !goesBack(file);
  return (
    <li className="turn-card-file">
      <ChangeKind kind={kind} />
      {onOpen === undefined ? (
        <FilePath path={path} />
      ) : (
        <button type="button" className="changed-file-link" onClick={onOpen}>
          <FilePath path={path} />
        </button>
      )}
      <span className="grow" />
      {state === 'changed-since' && !isStuck && <span className="chip chip-waiting">changed since</span>}
      {isStuck && (
        <span className="chip chip-waiting" title={staysBecause(file)}>
          cannot be undone
        </span>
      )}
      {state === 'undone' && <span className="chip">undone</span>}
      <LineCounts added={added} deleted={removed} />
    </li>
  );
}
