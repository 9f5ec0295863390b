import { dirname, resolve } from 'node:path';
import { exchangeFile, temporaryName, writeFully } from '@loom/stores/disk';
import { errorCode, type Disk, type FileStatus } from './disk.ts';

/** A new content for a path: `expected` is the content last read (undefined: the file did not exist). */
export type Replacement = {
  path: string;
  content: Uint8Array;
  expected: Uint8Array | undefined;
  mode: number;
};

export type ReplaceResult = { ok: true } | { ok: false; refusal: { reason: 'changed-since' } };

/**
 * Replaces a file as a whole: a reader, and the disk after a power cut, hold the old content or the new one, nothing else. A symbolic link stays; the
 * file it names is replaced. Refuses if the file is no longer the one that was read. Anything but a regular file is not replaced: a link to /dev/null
 * must not cost the machine its /dev/null.
 */
export async function replaceFile(disk: Disk, replacement: Replacement): Promise<ReplaceResult> {
  const path = await followLinks(disk, replacement.path);
  const directory = dirname(path);
  const present = await statusOf(disk, path);
  // A file that root makes in the folder of another user belongs to that user.
  const owner = present ?? (process.getuid?.() === 0 ? await disk.status(directory) : undefined);
  const temporary = temporaryName(path);
  const file = await disk.create(temporary);
  const isReplaced = await exchangeFile(disk, { path, temporary }, async () => {
    try {
      await writeFully(file, replacement.content, 0);
      await file.setAccess({
        mode: replacement.mode,
        ...(owner === undefined ? {} : { owner: owner.owner, group: owner.group }),
      });
      await file.sync();
    } finally {
      await file.close();
    }
    return isSameContent(await readIfThere(disk, path), replacement.expected);
  });
  return isReplaced ? { ok: true } : { ok: false, refusal: { reason: 'changed-since' } };
}

/** Returns the content of a file, or undefined if it does not exist. Pipes and devices, which may never end, are refused. */
export async function readIfThere(disk: Disk, path: string): Promise<Uint8Array | undefined> {
  try {
    const status = await statusOf(disk, await followLinks(disk, path));
    if (status?.kind === 'other') throw Object.assign(new Error(`${path} is not a regular file`), { code: 'ENOTFILE' });
    return await disk.read(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The path behind symbolic links; the last one may name a file that does not exist yet. */
export async function followLinks(disk: Disk, path: string): Promise<string> {
  let current = path;
  for (let hops = 0; hops < 40; hops++) {
    if ((await statusOf(disk, current))?.kind !== 'link') return current;
    current = resolve(dirname(current), await disk.linkTarget(current));
  }
  throw Object.assign(new Error(`too many symbolic links at ${path}`), { code: 'ELOOP' });
}

async function statusOf(disk: Disk, path: string): Promise<FileStatus | undefined> {
  try {
    return await disk.status(path);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function isSameContent(left: Uint8Array | undefined, right: Uint8Array | undefined): boolean {
  if (left === undefined || right === undefined) return left === right;
  return Buffer.compare(left, right) === 0;
}
