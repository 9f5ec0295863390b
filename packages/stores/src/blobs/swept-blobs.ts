import { basename, dirname, join } from 'node:path';
import type { BlobSweep, SweptBlobs } from '@loom/kernel/store';
import type { FilesPort } from '../disk/files-port.ts';
import { failedWith } from '../disk/files-port.ts';
import { blobHash } from './blob-id.ts';
import type { NamedBlobs } from './named-blobs.ts';

/** The parameters of a sweep of blob files. */
export interface BlobSweepParts extends BlobSweep {
  files: FilesPort;
  directory: string;
  now: number;
  /** The blobs named by records that are appended meanwhile. */
  named: NamedBlobs;
}

/**
 * Removes the files of blobs that are not needed. Each is taken away under another name first, and looked at once more: a process that put it
 * again before has touched it, and one that does afterwards finds none and writes another. Readers find it under either name.
 */
export async function sweepBlobFiles(parts: BlobSweepParts): Promise<SweptBlobs> {
  const { files, directory, named } = parts;
  const swept: SweptBlobs = { blobs: 0, bytes: 0 };
  const stopNoting = named.begin();
  try {
    for (const name of await listBlobs(files, directory)) {
      const bytes = await sweepFile(join(directory, name), parts);
      if (bytes === undefined) continue;
      swept.blobs += 1;
      swept.bytes += bytes;
    }
  } finally {
    stopNoting();
  }
  if (swept.blobs > 0) await files.syncDirectory(directory);
  return swept;
}

/** The name under which a blob is while it is looked at for the last time. */
export function nameAside(path: string): string {
  return join(dirname(path), `${asidePrefix}${basename(path)}`);
}

const asidePrefix = 'swept-';

/** Returns the names of all blobs, after putting back those that a killed process had taken away and not removed. */
async function listBlobs(files: FilesPort, directory: string): Promise<string[]> {
  const names = new Set<string>();
  for (const name of await files.list(directory).catch(noneIfMissing)) {
    const isAside = name.startsWith(asidePrefix);
    const hash = isAside ? name.slice(asidePrefix.length) : name;
    if (blobHash(`sha256:${hash}`) === undefined) continue;
    if (isAside) await files.rename(join(directory, name), join(directory, hash)).catch(noneIfMissing);
    names.add(hash);
  }
  return [...names];
}

/** Returns the length of the removed blob. */
async function sweepFile(path: string, parts: BlobSweepParts): Promise<number | undefined> {
  const { files } = parts;
  if (await isNeeded(path, path, parts)) return undefined;
  const aside = nameAside(path);
  // Another process may be sweeping too, and be ahead.
  if (!(await isRenamed(files, path, aside))) return undefined;
  try {
    const { size } = await files.facts(aside);
    if (!(await isNeeded(aside, path, parts))) {
      await files.remove(aside);
      return size;
    }
  } catch (error) {
    await files.rename(aside, path).catch(() => undefined);
    throw error;
  }
  await files.rename(aside, path);
  return undefined;
}

async function isRenamed(files: FilesPort, from: string, to: string): Promise<boolean> {
  try {
    await files.rename(from, to);
    return true;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return false;
    throw error;
  }
}

async function isNeeded(file: string, path: string, parts: BlobSweepParts): Promise<boolean> {
  const { files, now, unusedFor, isCited, named } = parts;
  const id = `sha256:${basename(path)}`;
  const facts = await files.facts(file).catch((error: unknown) => {
    if (failedWith(error, 'ENOENT')) return undefined;
    throw error;
  });
  if (facts === undefined || facts.modified > now - unusedFor) return true;
  return (await isCited(id)) || named.has(id);
}

function noneIfMissing(error: unknown): string[] {
  if (failedWith(error, 'ENOENT')) return [];
  throw error;
}
