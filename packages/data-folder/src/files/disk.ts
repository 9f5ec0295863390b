import { constants, existsSync } from 'node:fs';
import { access, chmod, lstat, mkdir, open, readFile, readlink, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { machineFiles } from '@loom/stores/disk';

/** The few file operations that reading and replacing a file needs, as a port: tests fail each of them in turn. */
export type Disk = {
  read(path: string): Promise<Uint8Array>;
  list(directory: string): Promise<string[]>;
  /** Of the entry itself: a symbolic link is not followed. */
  status(path: string): Promise<FileStatus>;
  linkTarget(path: string): Promise<string>;
  /** Makes the directory and those above it, open to their owner only. */
  makeDirectory(path: string): Promise<void>;
  /** Fails unless entries can be made in the directory. */
  checkWritable(directory: string): Promise<void>;
  /** Creates a file that must not exist, open to its owner only. */
  create(path: string): Promise<OpenFile>;
  setMode(path: string, mode: number): Promise<void>;
  rename(from: string, to: string): Promise<void>;
  remove(path: string): Promise<void>;
  /** Makes the entries of a directory durable. */
  syncDirectory(path: string): Promise<void>;
};

export type FileStatus = { kind: 'file' | 'directory' | 'link' | 'other'; mode: number; owner: number; group: number };

export type OpenFile = {
  /** Writes at a position. May write fewer bytes than requested. */
  write(bytes: Uint8Array, position: number): Promise<number>;
  setAccess(access: { mode: number; owner?: number; group?: number }): Promise<void>;
  sync(): Promise<void>;
  close(): Promise<void>;
};

export const nodeDisk: Disk = {
  read: (path) => readFile(path),
  list: (directory) => readdir(directory),
  async status(path) {
    const found = await lstat(path);
    const kind = found.isFile()
      ? 'file'
      : found.isDirectory()
        ? 'directory'
        : found.isSymbolicLink()
          ? 'link'
          : 'other';
    return { kind, mode: found.mode & 0o7777, owner: found.uid, group: found.gid };
  },
  linkTarget: (path) => readlink(path),
  makeDirectory: (path) => makeFolder(path),
  checkWritable: (directory) => access(directory, constants.W_OK | constants.X_OK),
  async create(path) {
    const handle = await open(path, 'wx', 0o600);
    return {
      write: async (bytes, position) => (await handle.write(bytes, 0, bytes.length, position)).bytesWritten,
      async setAccess({ mode, owner, group }) {
        const { uid, gid } = await handle.stat();
        if ((owner ?? uid) !== uid || (group ?? gid) !== gid) await handle.chown(owner ?? uid, group ?? gid);
        await handle.chmod(mode);
      },
      sync: () => handle.sync(),
      close: () => handle.close(),
    };
  },
  setMode: (path, mode) => chmod(path, mode),
  rename,
  remove: (path) => unlink(path),
  syncDirectory: (path) => machineFiles.syncDirectory(path),
};

/**
 * Makes a folder for its owner alone, and those above it. Node's own function never ends if the system reports something missing although the parent
 * folder exists, as below /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'EEXIST' && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== 'ENOENT' || existsSync(parent)) throw error;
    await makeFolder(parent);
    await makeFolder(path);
  }
}

/** The `code` of a failed system call, such as ENOENT. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}
