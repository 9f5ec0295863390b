import type { ReactElement } from 'react';
import { fullPathIn, pathWords, splitPath } from '@loom/blocks';
import { useBlockHost } from '../block-host.ts';

interface FilePathProps {
  path: string;
  /** The home folder on the server, where it is known; else the one that the folder of the conversation lies in. */
  home?: string | undefined;
}

/** A path as people read it, the whole one in its tooltip. Where there is no room its folder is cut; its name never is. */
export function FilePath({ path, home }: FilePathProps): ReactElement {
  const folder = useBlockHost().folder();
  const told = pathWords(path, { folder, home });
  const name = splitPath(path).name || told;
  const within = told.endsWith(name) ? told.slice(0, told.length - name.length) : '';
  return (
    <span className="file-path mono" title={fullPathIn(path, folder)}>
      {within !== '' && <span className="file-folder">{within.slice(0, -1)}</span>}
      <span className="file-name">
        {within !== '' && <span className="file-slash">{within.slice(-1)}</span>}
        {name}
      </span>
    </span>
  );
}
