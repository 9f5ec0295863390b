import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** The parts of a repository that a command in its folder needs to change, and those that it must not. */
export interface GitFolders {
  /** The repository of a worktree, which is outside of the folder. */
  readonly outside?: string;
  /** Git runs these programs for the person, outside of the sandbox, and no diff shows that they were changed. */
  readonly guarded: readonly string[];
}

/** Finds the repository that a folder is the top of. */
export function gitFolders(directory: string): GitFolders {
  const marker = join(directory, '.git');
  try {
    if (statSync(marker).isDirectory()) return { guarded: guardedIn(marker) };
    const outside = repositoryOf(marker);
    return outside === undefined ? { guarded: [] } : { outside, guarded: guardedIn(outside) };
  } catch {
    return { guarded: [] };
  }
}

/**
 * Returns the repository that the file `.git` of a worktree names. A command may have written that file, so it counts only if the
 * repository names the worktree, too.
 */
function repositoryOf(marker: string): string | undefined {
  const named = /^gitdir: (.+)$/mu.exec(readFileSync(marker, 'utf8'))?.[1];
  if (named === undefined) return undefined;
  const own = realpathSync(resolve(marker, '..', named.trim()));
  const back = realpathSync(resolve(own, readFileSync(join(own, 'gitdir'), 'utf8').trim()));
  if (back !== realpathSync(marker)) return undefined;
  return realpathSync(resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim()));
}

function guardedIn(repository: string): string[] {
  return ['hooks', 'config'].map((name) => join(repository, name)).filter((path) => existsSync(path));
}
