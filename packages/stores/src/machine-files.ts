import { mkdir, open, readdir, readFile, rename, rm, rmdir } from 'node:fs/promises';
import type { FilesPort } from './files-port.ts';

/** The file system of this machine. */
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
  async open(path, how) {
    const file = await open(path, how === 'create' ? 'wx' : 'r+', 0o600);
    return {
      write: async (bytes, position) => (await file.write(bytes, 0, bytes.length, position)).bytesWritten,
      truncate: (length) => file.truncate(length),
      sync: () => file.sync(),
      close: () => file.close(),
    };
  },
};

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
