import type { ReactElement } from 'react';
import { ChangeKind } from '../blocks/changes/ChangeKind.tsx';
import { LineCounts } from '../blocks/changes/LineCounts.tsx';
import { Icon } from '../ui/Icon.tsx';
import type { ChangedFile } from './changed-files.ts';

/** The changed files of each of two branches. */
export function BranchFiles({ left, right }: Record<'left' | 'right', readonly ChangedFile[]>): ReactElement | null {
  if (left.length + right.length === 0) return null;
  return (
    <>
      <p className="compare-wide compare-common">
        <Icon name="change" />
        <span>Files at the end of each branch</span>
      </p>
      <FileList files={left} side="left" />
      <FileList files={right} side="right" />
    </>
  );
}

function FileList({ files, side }: { files: readonly ChangedFile[]; side: 'left' | 'right' }): ReactElement {
  return (
    <ul className={`compare-cell compare-files compare-${side}`}>
      {files.map(({ path, kind, added, deleted }) => (
        <li key={path}>
          <ChangeKind kind={kind} />
          <span className="mono cut grow">{path}</span>
          <LineCounts added={added} deleted={deleted} />
        </li>
      ))}
      {files.length === 0 && <li className="quiet">None changed</li>}
    </ul>
  );
}
