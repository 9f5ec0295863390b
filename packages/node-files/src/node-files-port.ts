import { lstatSync, readdirSync, readFileSync, renameSync } from 'node:fs';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failedWith, machineFiles } from '@loom/stores/disk';
import type { FilesPort } from '@loom/stores/disk';
import { describeProblem, NodeFileError } from './problem.ts';

/** The metadata that tells a file from its earlier version, without reading it. */
export interface FileStamp {
  size: number;
  /** Milliseconds since 1970. */
  mtime: number;
  /** Links and devices are `other`, wherever they lead. */
  kind: 'file' | 'folder' | 'other';
}

/** The calls on files that node files need. */
export interface NodeFilesPort extends FilesPort {
  /** Does not follow links; `undefined` if nothing is there. */
  stamp(path: string): Promise<FileStamp | undefined>;
  /** Returns all entries of a folder, by name; none if the folder does not exist. */
  stampAll(folder: string): Promise<Map<string, FileStamp>>;
}

/**
 * The file system of this machine. Node files are small and many: a synchronous call on data that the system has in memory takes a fraction of the
 * time of one with a promise, and leaves the thread pool to the syncs, which share their waits.
 */
export const machineNodeFiles: NodeFilesPort = {
  ...machineFiles,
  list: async (folder) => readdirSync(folder),
  read: async (path, from, to) =>
    from === undefined && to === undefined ? new Uint8Array(readFileSync(path)) : machineFiles.read(path, from, to),
  rename: async (from, to) => renameSync(from, to),
  stamp: async (path) => stampNow(path),
  async stampAll(folder) {
    const stamps = new Map<string, FileStamp>();
    // A caller that goes through many folders awaits nothing else.
    await nextTurn();
    for (const [index, name] of (await listFolder(machineNodeFiles, folder)).entries()) {
      const stamp = stampNow(`${folder}/${name}`);
      if (stamp !== undefined) stamps.set(name, stamp);
      if (index % stampsAtOnce === stampsAtOnce - 1) await nextTurn();
    }
    return stamps;
  },
};

/** The number of synchronous file stats before other work continues; each takes a tenth of the time of one with a promise. */
const stampsAtOnce = 1000;

function stampNow(path: string): FileStamp | undefined {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat === undefined) return undefined;
    const kind = stat.isFile() ? 'file' : stat.isDirectory() ? 'folder' : 'other';
    return { size: stat.size, mtime: stat.mtimeMs, kind };
  } catch (error) {
    if (failedWith(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Throws unless a path is a folder, or does not exist yet: the target of a link is not Loom's. */
export async function requireFolder(files: NodeFilesPort, path: string): Promise<void> {
  const stamp = await files.stamp(path);
  if (stamp === undefined || stamp.kind === 'folder') return;
  const message = 'is not a folder; links are not followed, so put a real folder in its place';
  throw new NodeFileError(describeProblem('folder-unreadable', path, message));
}

/** Returns the names in a folder; none if the folder does not exist. */
export async function listFolder(files: FilesPort, folder: string): Promise<string[]> {
  try {
    return await files.list(folder);
  } catch (error) {
    if (failedWith(error, 'ENOENT') || failedWith(error, 'ENOTDIR')) return [];
    throw error;
  }
}
