import { join, resolve } from 'node:path';
import { StoreError } from '@loom/kernel/store';
import { fileFailure } from '../../disk/file-failure.ts';
import type { FilesPort } from '../../disk/files-port.ts';
import type { LogRewrite } from '../../log-rewrite.ts';
import { machineFiles } from '../../disk/machine-files.ts';
import { DataDirectory } from '../data-directory.ts';
import { isLeftover, isProjection, logDirectory } from '../log/log-directory.ts';

/**
 * Puts other records in the place of all those of some logs, under new epochs, and forgets what was derived from them and what
 * torn writes have left anywhere. What was there before is in no file any more. Each log is rewritten as a whole or not at all;
 * a process that is killed between two of them does the same again for the rest. The caller must be the only writer.
 */
export async function rewriteLogFiles(
  directory: string,
  rewrites: readonly LogRewrite[],
  files: FilesPort = machineFiles,
): Promise<void> {
  const path = resolve(directory);
  const data = new DataDirectory(files, path);
  for (const { log, epoch, lastSeq, records } of rewrites) {
    const end = await data.log(log).end();
    if (end?.epoch !== epoch || end.lastSeq !== lastSeq) throw changed(log);
    const last = records.at(-1)?.seq ?? 0;
    if (last !== lastSeq) throw new RangeError(`the records of ${log} end at ${last} and not at ${lastSeq}`);
  }
  for (const { log, records, ...known } of rewrites) {
    // First of all: a process that is killed after the rewriting finds nothing to do here any more.
    await removeFiles(files, join(path, logDirectory(log)), (name) => isProjection(name) || isLeftover(name));
    if (!(await data.log(log).rewrite(known, records))) throw changed(log);
  }
  // What was torn was never read, so it is unknown what it says.
  for (const log of await data.logNames()) {
    await data.log(log).forgetTail();
    await removeFiles(files, join(path, logDirectory(log)), isLeftover);
  }
}

/**
 * The same for one log whose file is damaged. Nothing of the file is looked at: the caller has read what stands in it, and must be the
 * only writer.
 */
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
    `another process has written to ${log} meanwhile; it was not changed`,
    'End the other process that writes to this data directory, then try again.',
  );
}
