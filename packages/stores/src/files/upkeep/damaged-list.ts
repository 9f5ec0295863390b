import { join, resolve } from 'node:path';
import { forestCodec, forestLogName } from '@loom/kernel/logs';
import { passOn, StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { fileFailure } from '../../disk/file-failure.ts';
import { failedWith } from '../../disk/files-port.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import { openFileSystemReader } from '../open.ts';
import { checksum } from '../../disk/checksum.ts';

/** Returns true if the list of roots of a directory is damaged. It says nothing that the roots themselves do not. */
export async function isListDamaged(directory: string): Promise<boolean> {
  const store = openFileSystemReader({ directory });
  try {
    const contents = await store.read(forestLogName, 0);
    for (const { text } of contents?.records ?? []) forestCodec.decode(text);
    return false;
  } catch (error) {
    if (error instanceof StoreError && error.code === 'store-corrupt') return true;
    throw error;
  } finally {
    await store.close();
  }
}

/**
 * Puts a damaged list of roots aside, so that another is made of the roots. Returns its new path; nothing if the list is sound or absent.
 * The caller must be the only writer of the directory.
 */
export async function putDamagedListAside(directory: string): Promise<string | undefined> {
  if (!(await isListDamaged(directory))) return undefined;
  const folder = join(resolve(directory), forestLogName);
  const log = join(folder, 'log.jsonl');
  try {
    const mark = checksum(await machineFiles.read(log).catch(() => ''));
    const kept = `${log}.damaged-${mark}`;
    // First the note that there was a list, which would have to be reported as lost otherwise.
    await machineFiles.remove(`${log}.acknowledged`).catch((error: unknown) => {
      if (!failedWith(error, 'ENOENT')) throw error;
    });
    await machineFiles.rename(log, kept);
    await machineFiles.syncDirectory(folder);
    return kept;
  } catch (error) {
    throw fileFailure(error, `could not put ${log} aside`);
  }
}

/** The same store without its list of roots. */
export function withoutList(store: Store): Store {
  return {
    ...passOn(store),
    read: (log, after, through) =>
      log === forestLogName ? Promise.resolve(undefined) : store.read(log, after, through),
  };
}
