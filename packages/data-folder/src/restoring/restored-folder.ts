import { randomBytes } from 'node:crypto';
import { mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { FolderError } from '../folder-error.ts';
import type { TellFolderNews } from '../folder-news.ts';
import { nodeDisk } from '../files/disk.ts';
import { exchangeContents, isKept } from './folder-exchange.ts';
import { asOnlyWriter } from '../opening/writer-lock.ts';

export interface Restoration {
  dataDir: string;
  /** True if existing data may be moved aside. */
  replaces: boolean;
  holder: string;
  now: () => Date;
  news: TellFolderNews;
  /** Fills a new folder with a store, and closes it. */
  fill: (folder: string) => Promise<void>;
}

/**
 * Puts new data in the place of a folder's contents. Everything is made beside it before; nothing is deleted but a part that was made here and
 * failed. Returns the path of the old data, if there was any.
 */
export function restoreFolder(restoration: Restoration): Promise<string | undefined> {
  const { dataDir, replaces, holder, now, news, fill } = restoration;
  return asOnlyWriter(dataDir, { holder, news }, async () => {
    // A link stays a link: its target is replaced.
    const folder = await realpath(dataDir);
    const hasData = (await readdir(folder)).some((name) => !isKept(name));
    if (hasData && !replaces) {
      throw new FolderError({ code: 'not-empty', folder: dataDir });
    }
    await sweepRestorations(folder);
    const made = `${folder}.restore-${randomBytes(4).toString('hex')}`;
    await mkdir(made, { mode: 0o700 });
    try {
      await requireMovable(made, folder);
      await fill(made);
      await nodeDisk.syncDirectory(made);
    } catch (error) {
      await rm(made, { recursive: true, force: true });
      throw error;
    }
    const aside = hasData ? `${folder}.before-restore-${now().toISOString().replace(/[:.]/gu, '-')}` : undefined;
    await exchangeContents({ folder, made, ...(aside === undefined ? {} : { aside }) });
    return aside;
  });
}

/** Removes folders that killed processes made beside a folder and never put in place; must be called holding its lock. */
async function sweepRestorations(folder: string): Promise<void> {
  const start = `${basename(folder)}.restore-`;
  for (const name of await readdir(dirname(folder))) {
    const isLeft = name.startsWith(start) && /^[0-9a-f]{8}$/u.test(name.slice(start.length));
    if (isLeft) await rm(join(dirname(folder), name), { recursive: true, force: true });
  }
}

/** Refuses if files cannot be renamed from one folder into the other, which no system does from disk to disk. */
async function requireMovable(from: string, to: string): Promise<void> {
  if ((await stat(from)).dev === (await stat(to)).dev) return;
  throw new FolderError({ code: 'not-movable', folder: to });
}
