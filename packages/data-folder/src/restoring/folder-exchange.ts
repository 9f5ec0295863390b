import { existsSync } from 'node:fs';
import { realpath, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { FolderError } from '../folder-error.ts';
import type { TellFolderNews } from '../folder-news.ts';
import { nodeDisk } from '../files/disk.ts';
import type { Disk } from '../files/disk.ts';
import { readIfThere, replaceFile } from '../files/replace-file.ts';

/**
 * The exchange of a data folder's contents for those of a folder beside it. The folder itself and its lock stay, so that other processes that wait
 * for the lock continue with the new contents. A journal in the folder records the exchange: the process that next holds the lock completes it.
 */
export interface Exchange {
  /** Its real path. */
  folder: string;
  /** The new contents, in a folder beside it. */
  made: string;
  /** The destination of the present contents, beside it; absent if there are none. */
  aside?: string;
}

/**
 * Exchanges the contents, holding the lock. If the old ones cannot be moved away, everything is as it was, and `made` is gone; after a later failure
 * the process that next holds the lock completes it.
 */
export async function exchangeContents({ folder, made, aside }: Exchange, disk = nodeDisk): Promise<void> {
  const entry = {
    format: 1,
    made: basename(made),
    ...(aside === undefined ? {} : { aside: basename(aside) }),
  } as const;
  if (aside !== undefined) {
    await disk.makeDirectory(aside);
    await disk.syncDirectory(dirname(folder));
    await writeJournal(disk, folder, { ...entry, phase: 'clear' });
    try {
      await clear(disk, folder, aside);
    } catch (error) {
      await undoClearing(disk, folder, aside);
      await rm(made, { recursive: true });
      throw error;
    }
  }
  await writeJournal(disk, folder, { ...entry, phase: 'fill' });
  await fill(disk, folder, made);
}

/** Completes an exchange that was cut short, if any, holding the lock. */
export async function finishExchange(dataDir: string, news: TellFolderNews, disk = nodeDisk): Promise<void> {
  if (!isExchanging(dataDir)) return;
  const folder = await realpath(dataDir);
  const begun = await readJournal(disk, folder);
  const made = join(dirname(folder), begun.made);
  const aside = begun.aside === undefined ? undefined : join(dirname(folder), begun.aside);
  const about = { folder: dataDir, ...(aside === undefined ? {} : { aside }) };
  try {
    if (begun.phase === 'clear' && aside !== undefined) {
      if (!existsSync(made)) return await undoClearing(disk, folder, aside);
      await clear(disk, folder, aside);
      await writeJournal(disk, folder, { ...begun, phase: 'fill' });
    }
    await fill(disk, folder, made);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FolderError({ code: 'restoration-cut-short', why, ...about }, { cause });
  }
  news({ type: 'restoration-completed', ...about });
}

/** Returns true if the contents of a data folder are being exchanged, or this was cut short. */
export function isExchanging(dataDir: string): boolean {
  return existsSync(join(dataDir, journalName));
}

/** Returns true for files that stay in place when the contents are exchanged. */
export function isKept(name: string): boolean {
  return isSettings(name) || name.startsWith('loom.lock') || name === journalName;
}

async function clear(disk: Disk, folder: string, aside: string): Promise<void> {
  for (const name of await disk.list(folder)) {
    const [from, to] = [join(folder, name), join(aside, name)];
    if (!isKept(name)) await disk.rename(from, to);
    // Settings stay, and the folder that is put aside gets a copy: it is a data folder, too.
    if (!isSettings(name)) continue;
    const expected = await readIfThere(disk, to);
    await replaceFile(disk, { path: to, content: await disk.read(from), expected, mode: 0o600 });
  }
  await disk.syncDirectory(aside);
  await disk.syncDirectory(folder);
}

async function undoClearing(disk: Disk, folder: string, aside: string): Promise<void> {
  for (const name of await disk.list(aside)) {
    if (!isSettings(name)) await disk.rename(join(aside, name), join(folder, name));
  }
  await removeJournal(disk, folder);
  await rm(aside, { recursive: true });
}

async function fill(disk: Disk, folder: string, made: string): Promise<void> {
  // It is gone if this was cut short at the very end.
  const names = existsSync(made) ? await disk.list(made) : [];
  for (const name of names) await disk.rename(join(made, name), join(folder, name));
  await disk.syncDirectory(folder);
  await rm(made, { recursive: true, force: true });
  await removeJournal(disk, folder);
}

function isSettings(name: string): boolean {
  return /^config(?:\..*)?\.toml$/u.test(name);
}

const journal = z.strictObject({
  format: z.literal(1),
  /** The phase: the old contents are being moved away, or the new ones put in their place. */
  phase: z.enum(['clear', 'fill']),
  made: z.string(),
  aside: z.string().exactOptional(),
});

type Journal = z.infer<typeof journal>;

const journalName = 'loom.restoring.json';

async function writeJournal(disk: Disk, folder: string, content: Journal): Promise<void> {
  const path = join(folder, journalName);
  const expected = await readIfThere(disk, path);
  await replaceFile(disk, { path, content: Buffer.from(`${JSON.stringify(content)}\n`), expected, mode: 0o600 });
}

async function readJournal(disk: Disk, folder: string): Promise<Journal> {
  const path = join(folder, journalName);
  try {
    return journal.parse(JSON.parse(new TextDecoder().decode(await disk.read(path))));
  } catch (cause) {
    throw new FolderError({ code: 'restoration-unknown', folder, journal: path }, { cause });
  }
}

async function removeJournal(disk: Disk, folder: string): Promise<void> {
  await disk.remove(join(folder, journalName));
  await disk.syncDirectory(folder);
}
