import { basename, join } from 'node:path';
import type { Store } from '@loom/kernel/store';
import { isDenied } from '@loom/stores/disk';
import { patience } from './file-intake.ts';
import { FileLedger, sumOf } from '../file-ledger.ts';
import type { FileEntry } from '../file-ledger.ts';
import { rootFileName, rootPaths } from '../file-names.ts';
import type { RootPaths } from '../file-names.ts';
import { machineNodeFiles } from '../node-files-port.ts';
import type { FileStamp, NodeFilesPort } from '../node-files-port.ts';

/** Files of a root that another program has written. */
export interface ChangedFiles {
  /** Below the data directory. Missing files are not among them. */
  files: string[];
  /** Those of them with content that Loom did not write: a copied folder has other times, and the same files. */
  edited: string[];
  /** Those of them that are not JSON: the program that writes them may not be done. */
  unreadable: string[];
  /** The system's errors for changed files that may not be read. These are in none of the others. */
  failures: string[];
  /** True if one of those that are not JSON was written a moment ago. */
  isYoung: boolean;
  /** True if the root is of an older generation and was never written: then no file of it may change. */
  isOlder: boolean;
}

/**
 * Returns the files of a root that are not as Loom left them, by size and time. Writes nothing, loads no log and reads no file but those: for
 * readers, before they read.
 */
export async function findChangedFiles(
  store: Store,
  directory: string,
  root: string,
  now: number,
): Promise<ChangedFiles> {
  const files: string[] = [];
  const paths = rootPaths(directory, root);
  const edited: string[] = [];
  const unreadable: string[] = [];
  const failures: string[] = [];
  if (paths === undefined) return { files, edited, unreadable, failures, isYoung: false, isOlder: false };
  const ledger = await FileLedger.load(store, root);
  let isYoung = false;
  for await (const { name, entry, stamp } of compareStamps(ledger, paths, machineNodeFiles)) {
    if (stamp === undefined || isAsLeft(stamp, entry)) continue;
    const bytes = stamp.kind === 'file' ? await readIfPossible(join(paths.folder, name)) : undefined;
    if (typeof bytes === 'string') {
      failures.push(bytes);
      continue;
    }
    // A process that was killed could not record that it had written it.
    const intended = ledger.intended(name);
    const isOwn = bytes !== undefined && intended?.sum === sumOf(bytes) && !ledger.isEditedSince(name, intended);
    if (isOwn) continue;
    files.push(join(root, name));
    if (bytes === undefined || sumOf(bytes) !== entry.sum) edited.push(join(root, name));
    if (bytes === undefined || isJson(bytes)) continue;
    unreadable.push(join(root, name));
    isYoung ||= Math.abs(now - stamp.mtime) < patience;
  }
  return { files, edited, unreadable, failures, isYoung, isOlder: ledger.get(rootFileName)?.sum === '' };
}

/** Returns the bytes of a file, or the reason they may not be read; no bytes for one that cannot be read, which is not JSON either. */
async function readIfPossible(path: string): Promise<Uint8Array | string> {
  try {
    return await machineNodeFiles.read(path);
  } catch (error) {
    return error instanceof Error && isDenied(error) ? error.message : new Uint8Array();
  }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder().decode(bytes));
    return true;
  } catch {
    return false;
  }
}

/** Yields every file in the ledger, with its present stamp. */
export async function* compareStamps(
  ledger: FileLedger,
  paths: RootPaths,
  files: NodeFilesPort,
): AsyncGenerator<{ name: string; entry: FileEntry; stamp: FileStamp | undefined }> {
  const stamps = await files.stampAll(paths.nodes);
  const own = await files.stamp(join(paths.folder, rootFileName));
  for (const [name, entry] of ledger.entries()) {
    yield { name, entry, stamp: name === rootFileName ? own : stamps.get(basename(name)) };
  }
}

/** Returns true if a file has the size and time of its entry, or is absent as its entry demands. */
export function isAsLeft(stamp: FileStamp | undefined, entry: FileEntry | undefined): boolean {
  if (entry?.sum === '') return stamp === undefined;
  return stamp?.kind === 'file' && entry?.size === stamp.size && entry.mtime === stamp.mtime;
}
