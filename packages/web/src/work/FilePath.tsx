import type { ReactElement } from 'react';
import { splitPath } from './paths.ts';

/** A path whose folder is cut when there is no room; its name never is. */
export function FilePath({ path }: { path: string }): ReactElement {
  const { folder, name } = splitPath(path);
  return (
    <span className="file-path mono" title={path}>
      {folder !== '' && <span className="file-folder">{folder}</span>}
      <span className="file-name">{name}</span>
    </span>
  );
}
