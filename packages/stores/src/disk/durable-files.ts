import { dirname, resolve } from 'node:path';
import type { FilesPort, OpenFile } from './files-port.ts';
import { failedWith } from './files-port.ts';

/** Makes a directory and those above it that are missing, open to their owner only; durable when it returns. */
export async function makeDirectory(files: FilesPort, path: string): Promise<void> {
  const full = resolve(path);
  try {
    await files.makeDirectory(full);
  } catch (error) {
    if (failedWith(error, 'EEXIST')) return syncAbove(files, full);
    if (!failedWith(error, 'ENOENT') || dirname(full) === full) throw error;
    await makeDirectory(files, dirname(full));
    return makeDirectory(files, full);
  }
  try {
    // A new directory is an entry of the one above it, and lasts from when that one is on the disk.
    await files.syncDirectory(dirname(full));
    await syncAbove(files, dirname(full));
  } catch (error) {
    // Else the next attempt would find it, and take it for durable.
    await files.removeDirectory(full).catch(() => undefined);
    throw error;
  }
}

/** The process that made a directory which was found may have been killed before this. One above that may not be read was not made by Loom. */
async function syncAbove(files: FilesPort, path: string): Promise<void> {
  await files.syncDirectory(dirname(path)).catch((error: unknown) => {
    if (!failedWith(error, 'EACCES')) throw error;
  });
}

/**
 * Replaces a file durably: it has all of the bytes or is as it was, also after a crash. If several writers may be at one file, each needs a
 * distinct temporary name.
 */
export async function writeDurably(
  files: FilesPort,
  { path, temporary = `${path}.tmp`, bytes }: { path: string; temporary?: string; bytes: Uint8Array },
): Promise<void> {
  await exchangeFile(files, { path, temporary }, async () => {
    await writeTemporary(files, temporary, bytes);
    return true;
  });
}

/** The calls that put a finished file in the place of another one. */
export type ExchangePort = Pick<FilesPort, 'rename' | 'remove' | 'syncDirectory'>;

/**
 * Replaces a file, the only way this is ever done: `write` makes the temporary file and syncs it, then that gets the name, then the
 * directory is synced. If anything fails before it has the name, or `write` returns false because the file is no longer wanted, it is
 * removed.
 */
export async function exchangeFile(
  files: ExchangePort,
  { path, temporary }: { path: string; temporary: string },
  write: () => Promise<boolean>,
): Promise<boolean> {
  const isWanted = await orRemove(files, temporary, async () => {
    const answer = await write();
    if (!answer) await files.remove(temporary);
    return answer;
  });
  if (!isWanted) return false;
  await renameTemporary(files, temporary, path);
  await files.syncDirectory(dirname(path));
  return true;
}

/** Writes and syncs a file that is about to take the place of another one, after removing what a crash has left of it. */
export async function writeTemporary(files: FilesPort, temporary: string, bytes: Uint8Array): Promise<void> {
  const write = (): Promise<void> =>
    withFile(files, temporary, 'create', async (file) => {
      await writeFully(file, bytes, 0);
      await file.sync();
    });
  await orRemove(files, temporary, () =>
    write().catch(async (error: unknown) => {
      if (!failedWith(error, 'EEXIST')) throw error;
      // Left by a crash. It is not written over: after a rename that was half lost it may be the file itself.
      await files.remove(temporary);
      await write();
    }),
  );
}

/** Puts a temporary file in its place, or removes it. The new name lasts from when its directory is synced. */
export async function renameTemporary(files: ExchangePort, temporary: string, path: string): Promise<void> {
  await orRemove(files, temporary, () => files.rename(temporary, path));
}

/** The first failure is the one to report; a temporary file that cannot be removed does no harm. */
async function orRemove<T>(files: ExchangePort, temporary: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    await files.remove(temporary).catch(() => undefined);
    throw error;
  }
}

/** Writes all of the bytes, in as many calls as it takes. */
export async function writeFully(file: Pick<OpenFile, 'write'>, bytes: Uint8Array, position: number): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const count = await file.write(bytes.subarray(written), position + written);
    if (count === 0) throw new Error('the file takes no more bytes');
    written += count;
  }
}

/** Opens a file for one piece of work and closes it, whatever happens: no descriptor outlives a failure. */
export async function withFile(
  files: FilesPort,
  path: string,
  how: 'create' | 'change',
  work: (file: OpenFile) => Promise<void>,
): Promise<void> {
  const file = await files.open(path, how);
  try {
    await work(file);
  } catch (error) {
    await file.close().catch(() => undefined);
    throw error;
  }
  await file.close();
}
