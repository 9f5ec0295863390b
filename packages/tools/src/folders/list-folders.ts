import { existsSync } from 'node:fs';
import { readdir, realpath } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { systemCode } from '../folder/path-error.ts';

/** The folders in a folder. */
export interface ListedFolders {
  path: string;
  parent?: string;
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
        return { name, path: place, ...(existsSync(join(place, '.git')) ? { is_repository: true as const } : {}) };
      });
    const parent = dirname(path);
    return { path, ...(parent === path ? {} : { parent }), folders };
  } catch (error) {
    const code = systemCode(error);
    if (code === 'ENOENT') return 'does not exist';
    if (code === 'ENOTDIR') return 'is not a folder';
    return code === 'EACCES' || code === 'EPERM'
      ? 'may not be read by Loom'
      : `cannot be read (${code ?? String(error)})`;
  }
}

const mostFolders = 2_000;
