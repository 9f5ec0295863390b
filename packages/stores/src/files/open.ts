import { resolve } from 'node:path';
import { forestLogName } from '@loom/kernel/logs';
import type { LogRewrite } from '@loom/kernel/store';
import { makeDirectory } from '../disk/durable-files.ts';
import { fileFailure } from '../disk/file-failure.ts';
import type { FilesPort } from '../disk/files-port.ts';
import { machineFiles } from '../disk/machine-files.ts';
import { DataDirectory } from './data-directory.ts';
import { FileSystemStore } from './file-system-store.ts';
import type { LostLog } from '../lost-log.ts';
import type { TornWrite } from './log/log-file.ts';
import { forReading } from './reading-port.ts';
import { rewriteLogFiles } from './upkeep/rewrite-logs.ts';

export interface FileSystemStoreOptions {
  /** The folder of `<log>/log.jsonl`, `blobs/`, `client-ids.json`, `leases.json` and `once.json`; made if it does not exist. */
  directory: string;
  /** Milliseconds since 1970, for leases. */
  now?: () => number;
  /** The file system; that of the machine if it is not given. */
  files?: FilesPort;
  /** Called when the bytes of a torn write have been put aside, in the process that opened the directory first. */
  torn?: (torn: TornWrite) => void;
  /** Called when a log turns out to be gone of which something was acknowledged, in the process that opened the directory first. */
  lost?: (lost: LostLog) => void;
}

/**
 * Opens, or makes, the logs of a directory. Any number of handles in one process, but one process at a time: the caller sees to
 * that. A log is looked at when it is first used, and damage to one does not touch the others.
 */
export async function openFileSystemStore({
  directory,
  now = Date.now,
  files = machineFiles,
  torn,
  lost,
}: FileSystemStoreOptions): Promise<FileSystemStore> {
  const path = resolve(directory);
  try {
    await makeDirectory(files, path);
    // A process that was killed may have left entries that are not on the disk yet.
    await files.syncDirectory(path);
  } catch (error) {
    throw fileFailure(error, `could not open the directory ${path}`);
  }
  const shared = opened.get(files) ?? new Map<string, DataDirectory>();
  opened.set(files, shared);
  const told = { ...(torn === undefined ? {} : { torn }), ...(lost === undefined ? {} : { lost }) };
  const data = shared.get(path) ?? new DataDirectory(files, path, { ...told, now });
  shared.set(path, data);
  const ended = (): void => {
    if (data.handles.size === 0 && shared.get(path) === data) shared.delete(path);
  };
  const rewrite = (rewrites: readonly LogRewrite[]): Promise<boolean> =>
    rewriteLogFiles({ files, path, data }, rewrites);
  return new FileSystemStore({ data, now, rewrite, ended });
}

/**
 * Opens the logs of a directory to look at them, while another process may write to them: every read shows a log as it is then, without a
 * write that is not complete yet. Anything that would change a file is refused with `store-failed`.
 */
export function openFileSystemReader({
  directory,
  files = machineFiles,
  lost = () => {},
}: Pick<FileSystemStoreOptions, 'directory' | 'files' | 'lost'>): FileSystemStore {
  const [path, port] = [resolve(directory), forReading(files)];
  const data = new DataDirectory(port, path, { othersWrite: true, lost });
  const rewrite = (rewrites: readonly LogRewrite[]): Promise<boolean> =>
    rewriteLogFiles({ files: port, path, data }, rewrites);
  return new FileSystemStore({ data, now: Date.now, rewrite, ended: () => {} });
}

/** Returns true if a directory has logs in files, or had some. */
export async function holdsLogFiles(directory: string): Promise<boolean> {
  const data = new DataDirectory(machineFiles, resolve(directory));
  if (await data.holds(forestLogName)) return true;
  // A process killed at the very beginning has left logs without a list. A folder that may not be looked into is not a log of Loom's.
  const logs = await data.logNames().catch((): string[] => []);
  for (const log of logs) if (await data.isNamed(log)) return true;
  // All of them may have been deleted, so that they are made again from the node files: of the kind that they were.
  return (await data.lostLogs()).size > 0;
}

const opened = new WeakMap<FilesPort, Map<string, DataDirectory>>();
