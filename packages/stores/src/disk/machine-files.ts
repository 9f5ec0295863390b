import { closeSync, fsync, ftruncateSync, lstatSync, openSync, write, writeSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, utimes } from 'node:fs/promises';
import { promisify } from 'node:util';
import type { FilesPort } from './files-port.ts';

/**
 * The file system of this machine. Calls that only touch the system's memory are made on the spot, which takes a fraction of the time that
 * a thread takes; calls that wait for the disk, or have much to copy, go to one.
 */
export const machineFiles: FilesPort = {
  list: (directory) => readdir(directory),
  makeDirectory: (path) => mkdir(path, { mode: 0o700 }),
  removeDirectory: (path) => rmdir(path),
  async syncDirectory(path) {
    // Windows cannot open a directory, and its file systems order these writes themselves.
    if (process.platform === 'win32') return;
    await using directory = await open(path, 'r');
    await directory.sync();
  },
  read: async (path, from = 0, to = Infinity) =>
    from === 0 && to === Infinity ? new Uint8Array(await readFile(path)) : readPart(path, from, to),
  rename: (from, to) => rename(from, to),
  remove: (path) => rm(path),
  async facts(path) {
    const { size, mtimeMs } = await stat(path);
    return { size, modified: mtimeMs };
  },
  touch: (path, time) => utimes(path, time / 1000, time / 1000),
  isLink: (path) => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true,
  async open(path, how) {
    const file = openSync(path, how === 'create' ? 'wx' : 'r+', 0o600);
    return {
      write: async (bytes, position) =>
        bytes.length <= shortWrite
          ? writeSync(file, bytes, 0, bytes.length, position)
          : (await writeByThread(file, bytes, 0, bytes.length, position)).bytesWritten,
      truncate: async (length) => ftruncateSync(file, length),
      sync: () => syncByThread(file),
      close: async () => closeSync(file),
    };
  },
};

/** Bytes that are copied in less time than a thread takes to answer. */
const shortWrite = 64 * 1024;
const writeByThread = promisify(write);
const syncByThread = promisify(fsync);

async function readPart(path: string, from: number, to: number): Promise<Uint8Array> {
  await using file = await open(path, 'r');
  const end = Math.min(to, (await file.stat()).size);
  const bytes = new Uint8Array(Math.max(0, end - from));
  let filled = 0;
  while (filled < bytes.length) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, from + filled);
    if (bytesRead === 0) break;
    filled += bytesRead;
  }
  return bytes.subarray(0, filled);
}
