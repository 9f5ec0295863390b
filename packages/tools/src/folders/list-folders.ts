import { statSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { isRepositoryTop } from '../folder/repository-top.ts';
import { systemCode } from '../folder/path-error.ts';

/** The folders in a folder. */
export interface ListedFolders {
  path: string;
  parent?: string;
  /** Present in a git repository, or in a worktree beside one. */
  git?: 'repository' | 'worktree';
  folders: { name: string; path: string; is_repository?: true }[];
}

/** Lists the folders in a folder, without hidden ones. Returns the problem, as the end of a sentence, if it cannot be listed. */
export async function listFolders(asked: string): Promise<ListedFolders | string> {
  if (!isAbsolute(asked) || asked.includes('\0')) return 'must be an absolute path, such as /home/user/projects';
  try {
    const path = await realpath(asked);
    const entries = await readdir(path, { withFileTypes: true });
    const folders = entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort((left, right) => left.localeCompare(right))
      .slice(0, mostFolders)
      .map((name) => {
        const place = join(path, name);
        return { name, path: place, ...(isRepositoryTop(place) ? { is_repository: true as const } : {}) };
      });
    const parent = dirname(path);
    const git = gitOf(path);
    return { path, ...(parent === path ? {} : { parent }), ...(git === undefined ? {} : { git }), folders };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return 'does not exist';
    if (code === 'ENOTDIR') return 'is not a folder';
    return code === 'EACCES' || code === 'EPERM'
      ? 'may not be read by Loom'
      : `cannot be read (${code ?? String(error)})`;
  }
}

/** Looks for the `.git` of a folder, in it or above it: that of a worktree is a file. */
function gitOf(path: string): ListedFolders['git'] {
  for (let place = path; ; place = dirname(place)) {
    if (isRepositoryTop(place)) return statSync(join(place, '.git')).isFile() ? 'worktree' : 'repository';
    if (dirname(place) === place) return undefined;
  }
}

const mostFolders = 2_000;
