import { useState } from 'react';
import type { ReactElement } from 'react';
import { z } from 'zod';
import { Question } from '../../ui/floating/Question.tsx';
import { useFolderGit } from '../use-folder-git.ts';
import { useMay } from '../use-may.ts';
import { useWorkHost } from '../work-host.ts';

const merged = z.object({ merged: z.boolean(), conflicts: z.array(z.string()) });

/** Merges the worktree of a conversation into the branch that it was made from, after a question. */
export function MergeBack({ folder, isOff }: { folder: string; isOff: boolean }): ReactElement | null {
  const { ask, attempt, tell } = useWorkHost();
  const mayMerge = useMay('worktree.merge') === true;
  const isWorktree = useFolderGit(folder) === 'worktree';
  const [isAsking, setAsking] = useState(false);
  if (!mayMerge || !isWorktree) return null;
  const merge = (): void =>
    attempt(async () => {
      const { merged: isMerged, conflicts } = merged.parse(await ask('worktree.merge', { directory: folder }));
      tell(isMerged ? 'Merged into the branch that it was made from.' : conflictWords(conflicts));
    });
  return (
    <>
      <button type="button" className="button" disabled={isOff} onClick={() => setAsking(true)}>
        Merge back…
      </button>
      {isAsking && (
        <Question title="Merge this worktree back?" action="Merge" onAnswer={merge} onClose={() => setAsking(false)}>
          <p>
            Changes that are not committed are committed to its branch first. Then the branch is merged into the one
            that it was made from. If files conflict, nothing is merged.
          </p>
        </Question>
      )}
    </>
  );
}

/** `Nothing was merged: a.ts and 2 more conflict.` */
function conflictWords([first = 'a file', ...more]: readonly string[]): string {
  const rest = more.length === 0 ? ' conflicts' : ` and ${more.length} more conflict`;
  return `Nothing was merged: ${first}${rest}.`;
}
