import type { ReactElement } from 'react';
import { useStore } from '../../stores/use-store.ts';
import { useFolderGit } from '../use-folder-git.ts';
import { useWorkHost } from '../work-host.ts';

/** Chooses between working in a repository directly and in a new worktree of it, which is made with the first message. */
export function WorktreeChoice({ folder }: { folder: string }): ReactElement | null {
  const { isInWorktree } = useWorkHost().beginning;
  const isOn = useStore(isInWorktree);
  if (useFolderGit(folder) === undefined) return null;
  return (
    <label
      className="where-worktree"
      title="A second checkout on a new branch, so that work side by side does not collide"
    >
      <input type="checkbox" checked={isOn} onChange={() => isInWorktree.set(!isOn)} />
      In a new worktree
    </label>
  );
}
