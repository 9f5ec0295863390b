import type { ReactElement } from 'react';
import type { FileChange } from '@loom/blocks';
import { FileChangeView } from './FileChangeView.tsx';

interface FileChangesProps {
  id: string;
  changes: readonly FileChange[];
  /** The home folder on the server, if it is known. */
  home?: string | undefined;
}

/** The files that a tool changed; one file is open, several are a list to open. */
export function FileChanges({ id, changes, home }: FileChangesProps): ReactElement {
  const isOnly = changes.length === 1;
  return (
    <div className="tool-body changes">
      {changes.map((change, index) => (
        <FileChangeView key={index} id={`${id} ${index}`} change={change} home={home} isOpenByItself={isOnly} />
      ))}
      {changes.length === 0 && <p className="tool-note">No file was changed.</p>}
    </div>
  );
}
