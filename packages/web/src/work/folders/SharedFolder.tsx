import { useEffect, useState } from 'react';
import type { ReactElement } from 'react';
import { z } from 'zod';
import { useStore } from '../../stores/use-store.ts';
import { useChosenAgent } from '../chosen-agent.ts';
import { useWorkPlace } from '../conversation-mode.ts';
import { useOtherAtWork } from '../other-at-work.ts';
import { folderName } from '../paths.ts';
import { useFolderGit } from '../use-folder-git.ts';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';

const worktree = z.object({ directory: z.string() });

/** Warns before an agent is sent into a folder in which another one is at work. In a repository a new worktree is chosen until the reader says otherwise. */
export function SharedFolder(): ReactElement | null {
  const { ask, attempt, beginning } = useWorkHost();
  const { folder, root } = useWorkPlace();
  const agent = useChosenAgent();
  const other = useOtherAtWork(agent?.name, folder, root);
  const hasGit = useFolderGit(other === undefined ? '' : folder) !== undefined;
  const mayMove = useMay('worktree.create') === true;
  const isInWorktree = useStore(beginning.isInWorktree);
  const [accepted, setAccepted] = useState<string>();
  const place = other === undefined ? undefined : `${folder} ${other.turn}`;
  const isShown = place !== undefined && place !== accepted;
  const isPreselected = isShown && hasGit && mayMove && root === undefined;
  useEffect(() => {
    if (isPreselected) beginning.isInWorktree.set(true);
  }, [beginning, isPreselected, place]);
  if (!isShown || other === undefined) return null;
  const move = async (): Promise<void> => {
    if (root === undefined) return beginning.isInWorktree.set(true);
    const { directory } = worktree.parse(await ask('worktree.create', { directory: folder }));
    await ask('root.configure', { root, config: { directory } });
  };
  return (
    <div className="no-model" role="group" aria-label="Another agent is at work in this folder">
      <span className="grow">
        {other.title} is working in {folderName(folder)} too.{' '}
        {isInWorktree && root === undefined
          ? 'This conversation gets a new worktree.'
          : 'They could overwrite each other’s files.'}
      </span>
      {hasGit && mayMove && (root !== undefined || !isInWorktree) && (
        <button type="button" className="button button-primary" onClick={() => attempt(move)}>
          Use a new worktree
        </button>
      )}
      <button
        type="button"
        className="button button-quiet"
        onClick={() => {
          if (root === undefined) beginning.isInWorktree.set(false);
          setAccepted(place);
        }}
      >
        Work here anyway
      </button>
    </div>
  );
}
