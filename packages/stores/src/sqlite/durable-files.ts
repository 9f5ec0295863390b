import { mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Makes a directory and those above it that are missing, open to their owner only; durable when it returns. */
export async function makeDirectory(path: string): Promise<void> {
  const full = resolve(path);
  const first = await mkdir(full, { recursive: true, mode: 0o700 });
  if (first === undefined) return;
  // A new directory is an entry of the one above it, and lasts from when that one is on the disk.
  for (let made = full; made.length >= first.length; made = dirname(made)) await syncDirectory(dirname(made));
}

/** The file has all of the bytes or does not exist, also after a crash; durable when it returns. Replaces what was there. */
export async function writeDurably(path: string, temporary: string, bytes: Uint8Array): Promise<void> {
  try {
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, path);
  } catch (error) {
    await rm(temporary, { force: true }).catch(() => undefined);
    throw error;
  }
  await syncDirectory(dirname(path));
}

/** Makes the entries of a directory durable. */
export async function syncDirectory(path: string): Promise<void> {
  // Windows cannot open a directory, and its file systems order these writes themselves.
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
