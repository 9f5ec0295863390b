import { createHash } from 'node:crypto';
import { dirname, join } from 'node:path';
import {
  failedWith,
  fileFailure,
  machineFiles,
  makeDirectory,
  renameTemporary,
  writeTemporary,
} from '@loom/stores/disk';
import type { FilesPort } from '@loom/stores/disk';
import { sumOf } from '../file-ledger.ts';
import { temporaryEnd } from '../file-names.ts';
import { inWindows } from '../in-windows.ts';
import { readJournal, removeIfThere, removeJournal, writeJournal } from './migration-journal.ts';
import type { MigrationJournal } from './migration-journal.ts';

/** One file that a migration writes. */
export interface MigratedFile {
  /** Below the directory. */
  path: string;
  bytes: Uint8Array;
  /** The ledger's checksum of the present file; '' if it does not exist. */
  before: string;
}

export interface FilesMigration {
  directory: string;
  /** A folder for the full copy, and one for the new files until they are verified; neither inside the directory. */
  backup: string;
  staging: string;
  /** All files of the directory, by their paths below it. */
  kept: readonly string[];
  writes: readonly MigratedFile[];
  /** Compares the new files with their expected content; returns the problem. */
  verify: (staging: string) => Promise<string | undefined>;
}

/** The outcome for the files. */
export type MigratedFiles =
  | {
      ok: true;
      backup: string;
      written: string[];
      /** Files that another program has changed since they were verified, and that were left alone. */
      left: string[];
    }
  | { ok: false; reason: 'not-verified' | 'files-changed' | 'backup-used'; message: string };

/**
 * Copies everything, writes the new files beside the directory, verifies both, and only then puts the new files in the place of the old ones, each by
 * one rename. Killed at any point it leaves the old files, or a directory in which some are new already, which `finishMigration` completes; the copy
 * is whole before the first file is replaced.
 */
export function migrateFiles(files: FilesPort, migration: FilesMigration): Promise<MigratedFiles> {
  return namingFailures(() => runMigration(files, migration));
}

async function runMigration(files: FilesPort, migration: FilesMigration): Promise<MigratedFiles> {
  const { directory, kept, writes, verify } = migration;
  const begun = await readJournal(files, directory);
  if (begun?.phase === 'swap') throw new Error('a migration is being finished; finish it first');
  // A copy that was begun is continued.
  const { backup, staging } = begun ?? migration;
  if (begun === undefined && !(await isEmpty(files, backup))) {
    const message = `the folder ${backup} for the copy is not empty`;
    return { ok: false, reason: 'backup-used', message };
  }
  await writeJournal(files, directory, { format: 1, phase: 'copy', backup, staging, files: [] });
  const found = new Map<string, { hash: string; sum: string }>();
  await fillFolder(files, backup, kept, async (path) => {
    const bytes = await files.read(join(directory, path));
    await copyFile(files, bytes, join(backup, path));
    found.set(path, { hash: hashOf(bytes), sum: sumOf(bytes) });
  });
  const changed = writes.find(({ path, before }) => (found.get(path)?.sum ?? '') !== before);
  if (changed !== undefined) {
    await removeJournal(files, directory);
    return { ok: false, reason: 'files-changed', message: `${changed.path} was changed meanwhile` };
  }

  await removeTree(files, staging);
  const bytesOf = new Map(writes.map(({ path, bytes }) => [path, bytes]));
  await fillFolder(files, staging, bytesOf.keys(), (path) =>
    writeTemporary(files, join(staging, path), bytesOf.get(path) ?? new Uint8Array()),
  );
  const fault = await verify(staging);
  if (fault !== undefined) {
    await removeTree(files, staging);
    await removeJournal(files, directory);
    return { ok: false, reason: 'not-verified', message: fault };
  }
  const planned = writes.map(({ path, bytes }) => ({
    path,
    before: found.get(path)?.hash ?? '',
    after: hashOf(bytes),
  }));
  const journal: MigrationJournal = { format: 1, phase: 'swap', backup, staging, files: planned };
  await writeJournal(files, directory, journal);
  return swapFiles(files, directory, journal);
}

/** Completes a migration that was killed while it replaced files; `undefined` if there was none. */
export function finishMigration(
  directory: string,
  files: FilesPort = machineFiles,
): Promise<MigratedFiles | undefined> {
  return namingFailures(async () => {
    const journal = await readJournal(files, directory);
    return journal?.phase === 'swap' ? swapFiles(files, directory, journal) : undefined;
  });
}

/** Turns a failed file call into a `StoreError`; the work before it stays done, and the next attempt continues. */
async function namingFailures<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const isSystems = error instanceof Error && 'code' in error;
    throw isSystems ? fileFailure(error, 'the files could not be migrated') : error;
  }
}

async function swapFiles(files: FilesPort, directory: string, journal: MigrationJournal): Promise<MigratedFiles> {
  const { backup, staging } = journal;
  const [written, left]: [string[], string[]] = [[], []];
  const folders = new Set<string>();
  for (const { path, before, after } of journal.files) {
    const [from, to] = [join(staging, path), join(directory, path)];
    const present = await hashAt(files, to);
    if (present === after) {
      written.push(path);
      folders.add(dirname(to));
      continue;
    }
    if (present !== before) {
      left.push(path);
      continue;
    }
    // A power cut may have destroyed a new file on its way. The old one is there, and is migrated the next time.
    if ((await hashAt(files, from)) !== after) continue;
    if (!folders.has(dirname(to))) await makeDirectory(files, dirname(to));
    folders.add(dirname(to));
    await moveFile(files, from, to);
    written.push(path);
  }
  for (const folder of folders) await files.syncDirectory(folder);
  await removeTree(files, staging);
  // A parent folder that may not be read cannot be synced; then a power cut may bring an empty folder back.
  await files.syncDirectory(dirname(staging)).catch((error: unknown) => {
    if (!failedWith(error, 'EACCES')) throw error;
  });
  await removeJournal(files, directory);
  return { ok: true, backup, written, left };
}

/**
 * Puts a new file in its place. The directory may be a separate disk, or a link to one: then the file is copied to a place from which it can be
 * renamed, and a copy left by a crash is swept like any other temporary file.
 */
async function moveFile(files: FilesPort, from: string, to: string): Promise<void> {
  try {
    await files.rename(from, to);
  } catch (error) {
    if (!failedWith(error, 'EXDEV')) throw error;
    const temporary = `${to}${temporaryEnd}`;
    await writeTemporary(files, temporary, await files.read(from));
    await renameTemporary(files, temporary, to);
  }
}

/** Writes files into folders that are made first, a few at a time; durable when it returns. */
async function fillFolder(
  files: FilesPort,
  folder: string,
  paths: Iterable<string>,
  write: (path: string) => Promise<void>,
): Promise<void> {
  const list = [...paths];
  const folders = new Set([folder, ...list.map((path) => dirname(join(folder, path)))]);
  for (const one of folders) await makeDirectory(files, one);
  await inWindows(list, write);
  for (const one of folders) await files.syncDirectory(one);
}

/** Writes a copy and reads it again. An existing copy may look right and not be durable: it is rewritten. */
async function copyFile(files: FilesPort, bytes: Uint8Array, to: string): Promise<void> {
  await writeTemporary(files, to, bytes);
  if ((await hashAt(files, to)) !== hashOf(bytes))
    throw new Error(`the copy ${to} is not what was written; check the disk`);
}

function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns the hash of a file, or '' if it does not exist. */
async function hashAt(files: FilesPort, path: string): Promise<string> {
  try {
    return hashOf(await files.read(path));
  } catch (error) {
    if (failedWith(error, 'ENOENT') || failedWith(error, 'ENOTDIR')) return '';
    throw error;
  }
}

async function isEmpty(files: FilesPort, folder: string): Promise<boolean> {
  try {
    return (await files.list(folder)).length === 0;
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return true;
    if (failedWith(error, 'ENOTDIR')) return false;
    throw error;
  }
}

/** Removes a folder that only this migration writes to. */
async function removeTree(files: FilesPort, folder: string): Promise<void> {
  let names: string[];
  try {
    names = await files.list(folder);
  } catch (error) {
    if (failedWith(error, 'ENOENT')) return;
    if (failedWith(error, 'ENOTDIR')) return removeIfThere(files, folder);
    throw error;
  }
  for (const name of names) await removeTree(files, join(folder, name));
  await files.removeDirectory(folder);
}
