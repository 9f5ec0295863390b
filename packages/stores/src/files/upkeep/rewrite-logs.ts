import { join, resolve } from 'node:path';
import { isAboutOneLog, StoreError } from '@loom/kernel/store';
import type { LogRewrite } from '@loom/kernel/store';
import { fileFailure } from '../../disk/file-failure.ts';
import type { FilesPort } from '../../disk/files-port.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import { DataDirectory } from '../data-directory.ts';
import { isLeftover, isProjection, logDirectory } from '../log/log-directory.ts';

/** The log files of a directory, as those that use them in this process share them. */
export interface SharedDirectory {
  files: FilesPort;
  path: string;
  data: DataDirectory;
}

/**
 * Replaces all records of some logs, under new epochs, and forgets everything derived from them and the remains of torn writes anywhere. No
 * file keeps what was there before. Each log is rewritten as a whole or not at all; after a process is killed between two of them, the next
 * run does the same for the rest. Returns false, having done nothing, if one has changed.
 */
export function rewriteLogFiles(shared: SharedDirectory, rewrites: readonly LogRewrite[]): Promise<boolean> {
  return shared.data.withoutProjectionWrites(() => rewrite(shared, rewrites));
}

async function rewrite({ files, path, data }: SharedDirectory, rewrites: readonly LogRewrite[]): Promise<boolean> {
  for (const { log, epoch, lastSeq } of rewrites) {
    const end = await data.log(log).end();
    if (end?.epoch !== epoch || end.lastSeq !== lastSeq) return false;
  }
  for (const [index, { log, records, ...known }] of rewrites.entries()) {
    // First of all: after a process is killed behind the rewriting, the next run finds nothing left to do here.
    await removeFiles(files, join(path, logDirectory(log)), isProjection);
    if (await data.log(log).rewrite(known, records)) continue;
    if (index === 0) return false;
    throw changed(log);
  }
  // Torn writes were never read, so their contents are unknown.
  for (const log of await data.logNames()) {
    await data
      .log(log)
      .forgetTorn((folder) => removeFiles(files, folder, isLeftover))
      .catch((error: unknown) => {
        // A log that cannot be read is another matter, and keeps nothing else from being forgotten.
        if (!isAboutOneLog(error)) throw error;
      });
  }
  return true;
}

/** Rewrites one log whose file is damaged, without looking at the file: the caller has read its contents, and must be the only writer. */
export async function rewriteDamagedLogFile(
  directory: string,
  { log, records, ...known }: LogRewrite,
  files: FilesPort = machineFiles,
): Promise<void> {
  const path = resolve(directory);
  await removeFiles(files, join(path, logDirectory(log)), (name) => isProjection(name) || isLeftover(name));
  await new DataDirectory(files, path).log(log).rewriteUnread(known, records);
}

async function removeFiles(files: FilesPort, folder: string, isMeant: (name: string) => boolean): Promise<void> {
  try {
    const names = (await files.list(folder)).filter(isMeant);
    for (const name of names) await files.remove(join(folder, name));
    if (names.length > 0) await files.syncDirectory(folder);
  } catch (error) {
    throw fileFailure(error, `could not remove what is derived from the log in ${folder}`);
  }
}

function changed(log: string): StoreError {
  return new StoreError(
    'store-failed',
    `${log} was written to meanwhile; it was not changed`,
    'Try again: what was rewritten before stays.',
  );
}
