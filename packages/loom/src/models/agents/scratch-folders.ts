import { mkdir } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { ScratchPort } from '@loom/kernel';

/**
 * Keeps scratch folders beside the data of other programs, outside of Loom's data folder: that may be in a repository, and an agent that runs git
 * would find it.
 */
export function createScratchFolders(environment: Readonly<Record<string, string | undefined>>): ScratchPort {
  const { HOME: home = '', XDG_DATA_HOME: data = '' } = environment;
  const base = isAbsolute(data) ? data : home === '' ? undefined : join(home, '.local', 'share');
  const place = base === undefined ? undefined : join(base, 'loom', 'scratch');
  return {
    async make(root) {
      if (place === undefined) throw new Error('There is no home folder to make a scratch folder in.');
      const folder = join(place, root);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
    owns: (directory) => place !== undefined && dirname(directory) === place,
  };
}
