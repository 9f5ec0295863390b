import type { ReactElement } from 'react';
import { Icon } from '../../ui/Icon.tsx';
import { useWorkPlace } from '../conversation-mode.ts';
import { FolderButton } from './FolderButton.tsx';
import { folderName } from '../paths.ts';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';

/** The folder of the open conversation; an owner can choose another one, which holds for what tools do from then on. */
export function FolderCrumb(): ReactElement | null {
  const { ask, attempt } = useWorkHost();
  const { folder, root } = useWorkPlace();
  const mayChoose = useMay('folder.list') === true;
  if (root === undefined || (folder === '' && !mayChoose)) return null;
  if (!mayChoose) {
    return (
      <span className="top-bar-folder" title={folder}>
        <Icon name="folder" small />
        {folderName(folder)}
      </span>
    );
  }
  const choose = (path: string): void =>
    attempt(() => ask('root.configure', { root, config: { directory: path === '' ? null : path } }));
  return <FolderButton folder={folder} onChoose={choose} />;
}
