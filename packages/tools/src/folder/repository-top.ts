import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Returns true for the top of a git repository, or of a worktree. A folder `.git` without a HEAD is none, for git too, and neither is a file
 * that names no folder: sandboxes of other programs leave empty ones behind, also in /tmp (Codex does when it is killed), and every folder
 * below would become part of a repository.
 */
export function isRepositoryTop(folder: string): boolean {
  const marker = join(folder, '.git');
  const status = look(marker);
  return status?.isDirectory() === true
    ? look(join(marker, 'HEAD')) !== undefined
    : namesFolder(marker, status?.isFile());
}

/** Returns true for the file of a worktree or submodule, which begins in this way. */
function namesFolder(marker: string, isFile = false): boolean {
  if (!isFile) return false;
  const start = Buffer.alloc(8);
  try {
    const file = openSync(marker, 'r');
    try {
      return readSync(file, start) === start.length && start.toString('latin1') === 'gitdir: ';
    } finally {
      closeSync(file);
    }
  } catch {
    return false;
  }
}

function look(path: string) {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}
