import { statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns true for the top of a git repository, or of a worktree. A folder `.git` without a HEAD is none, for git too: sandboxes of other
 * programs leave empty ones behind, also in /tmp, and every folder below would become part of a repository.
 */
export function isRepositoryTop(folder: string): boolean {
  const marker = join(folder, '.git');
  const status = look(marker);
  return status?.isDirectory() === true ? look(join(marker, 'HEAD')) !== undefined : status !== undefined;
}

function look(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
