import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, readdir, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { forestLogName } from '@loom/kernel';
import { LoomError } from '../failure.ts';
import { nodeDisk } from '../files/disk.ts';
import { asOnlyWriter } from '../runtime/writer-lock.ts';

export interface Restoration {
  dataDir: string;
  /** Whether data that is there may be moved aside. */
  replaces: boolean;
  holder: string;
  now: Date;
  /** Fills a new folder with a store, and closes it. */
  fill: (folder: string) => Promise<void>;
}

/**
 * Puts new data in the place of a folder that is empty, missing or moved aside. Everything is made beside it and appears at once;
 * nothing is deleted but what was made here and failed. Answers where the old data is, if there was any.
 */
export function restoreFolder(restoration: Restoration): Promise<string | undefined> {
  const { dataDir, replaces, holder, now, fill } = restoration;
  return asOnlyWriter(dataDir, { holder }, async () => {
    // A link stays a link: what it names is replaced.
    const folder = await realpath(dataDir);
    const present = (await readdir(folder)).filter((name) => !isUnrelated(name));
    if (present.length > 0 && !replaces) {
      throw new LoomError('not-empty', `${dataDir} holds data`, {
        advice: 'Name another folder with --data-dir, or move this data aside with --replace; nothing is deleted.',
      });
    }
    const made = `${folder}.restore-${randomBytes(4).toString('hex')}`;
    await mkdir(made, { mode: 0o700 });
    try {
      await fill(made);
      return present.length === 0 ? await moveInto(made, folder) : await exchange(made, folder, now);
    } catch (error) {
      await rm(made, { recursive: true, force: true });
      throw error;
    }
  });
}

/** `loom.db`, or the log that lists the others, comes last: before it there is no data. */
async function moveInto(made: string, folder: string): Promise<undefined> {
  const names = await readdir(made);
  const isLast = (name: string): boolean => name === 'loom.db' || name === forestLogName;
  for (const name of [...names.filter((one) => !isLast(one)), ...names.filter(isLast)]) {
    await rename(join(made, name), join(folder, name));
  }
  await nodeDisk.syncDirectory(folder);
  await rm(made, { recursive: true, force: true });
}

async function exchange(made: string, folder: string, now: Date): Promise<string> {
  const aside = `${folder}.before-restore-${now.toISOString().replace(/[:.]/gu, '-')}`;
  for (const name of await readdir(folder)) {
    if (isSettings(name)) await copyFile(join(folder, name), join(made, name));
  }
  await nodeDisk.syncDirectory(made);
  await rename(folder, aside);
  try {
    await rename(made, folder);
  } catch (error) {
    await rename(aside, folder);
    throw error;
  }
  await nodeDisk.syncDirectory(dirname(folder));
  return aside;
}

/** What may lie in a folder without data. */
function isUnrelated(name: string): boolean {
  return isSettings(name) || name.startsWith('loom.lock');
}

function isSettings(name: string): boolean {
  return /^config(?:\..*)?\.toml$/u.test(name);
}
