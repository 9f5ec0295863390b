import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { forgetCopies } from '@loom/node-files';
import type { ForgottenNodes } from '@loom/node-files';
import type { FolderFiles } from '../opening/open-folder.ts';

export interface ForgettingFolder {
  dataDir: string;
  /** The readable files of the folder, if this process keeps them. */
  files: Pick<FolderFiles, 'forget'> | undefined;
  /** Files of the folder that may repeat any text, and are removed. */
  alsoRemoved: readonly string[];
}

/**
 * Has logs of a data folder rewritten so that nothing that they no longer hold is left in it. Files go first: one that says more than its log would
 * be taken for an edit by hand, should this be cut short.
 */
export async function forgetInFolder<T>(
  { dataDir, files, alsoRemoved }: ForgettingFolder,
  forgotten: ForgottenNodes,
  rewrite: () => Promise<T>,
): Promise<T> {
  for (const name of await readdir(dataDir)) {
    // The search index knows the words of all texts, and is rebuilt; a database or a write-ahead log that was kept when it was damaged knows them
    // too.
    if (/^loom\.db(?:-search|\.damaged-|\.lost-wal-)/u.test(name) || alsoRemoved.includes(name))
      await rm(join(dataDir, name), { recursive: true, force: true });
  }
  if (files !== undefined) return files.forget(forgotten, rewrite);
  await forgetCopies(dataDir, forgotten);
  return rewrite();
}
