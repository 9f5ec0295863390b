import { resolve } from 'node:path';
import { makeDirectory } from '../durable-files.ts';
import { fileFailure } from '../file-failure.ts';
import type { FilesPort } from '../files-port.ts';
import { machineFiles } from '../machine-files.ts';
import { DataDirectory } from './data-directory.ts';
import { FileSystemStore } from './file-system-store.ts';

export interface FileSystemStoreOptions {
  /** Where `<log>/log.jsonl`, `blobs/`, `client-ids.json` and `leases.json` are kept; made if it does not exist. */
  directory: string;
  /** Milliseconds since 1970, for leases. */
  now?: () => number;
  /** The file system; that of the machine if it is not given. */
  files?: FilesPort;
}

/**
 * Opens, or makes, the logs of a directory. Any number of handles in one process, but one process at a time: the caller sees to
 * that. A log is looked at when it is first used, and damage to one does not touch the others.
 */
export async function openFileSystemStore({
  directory,
  now = Date.now,
  files = machineFiles,
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
  const data = shared.get(path) ?? new DataDirectory(files, path);
  shared.set(path, data);
  const ended = (): void => {
    if (data.handles.size === 0 && shared.get(path) === data) shared.delete(path);
  };
  return new FileSystemStore({ data, now, ended });
}

const opened = new WeakMap<FilesPort, Map<string, DataDirectory>>();
