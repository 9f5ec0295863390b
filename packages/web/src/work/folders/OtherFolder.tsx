import type { ReactElement } from 'react';
import { useWorkPlace } from '../conversation-mode.ts';
import { FolderButton } from './FolderButton.tsx';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';

/** Chooses another folder for the open conversation, in the place of one that is gone. */
export function OtherFolder(): ReactElement | null {
  const { ask, attempt } = useWorkHost();
  const { folder, root } = useWorkPlace();
  const mayChoose = useMay('folder.list') === true;
  if (root === undefined || !mayChoose) return null;
  const choose = (path: string): void =>
    attempt(() => ask('root.configure', { root, config: { directory: path === '' ? null : path } }));
  return <FolderButton folder={folder} words="Choose a folder" onChoose={choose} />;
}
