import { nodeDisk } from '@loom/data-folder/files';
import { tokenOperations } from '@loom/server/access';
import type { Door } from '../../serve/door.ts';
import { openTokensOnce, type OpenTokens } from '../../serve/token-file.ts';
import { finishForOthers } from './answers-for-others.ts';
import { takeOrFind } from './held-folder.ts';
import type { Loom } from '../loom.ts';
import { printNote, type LoomOptions, type OpenedFolder } from '../opened-folder.ts';
import { warn } from '../warn.ts';

/** After so many milliseconds a command that has the folder lets other terminals in. Most are over by then. */
const longerThanMost = 400;

export interface SharedOptions extends LoomOptions {
  /** The tokens of the folder; by default those of its file. */
  tokens?: OpenTokens;
}

/**
 * Runs `work` with a data folder, which is made if it is not there: as its only writer, or through the process that is that. A writer that
 * takes longer than most commands listens on this machine, so that other terminals can work with the folder, too.
 */
export async function withLoom<Result>(options: SharedOptions, work: (loom: Loom) => Promise<Result>): Promise<Result> {
  const { tokens = openTokensOnce(nodeDisk, options.dataDir), operations = [] } = options;
  const parts = { ...options, operations: [...tokenOperations(tokens), ...operations] };
  const held = await takeOrFind(parts);
  if ('opened' in held) return sharing(held.opened, { ...options, tokens }, work);
  const { attach } = await import('./attached-folder.ts');
  const attached = attach({ ...parts, tokens }, held.place);
  try {
    return await work(attached);
  } finally {
    await attached.close();
  }
}

async function sharing<Result>(
  opened: OpenedFolder,
  { tokens, note = printNote }: SharedOptions & { tokens: OpenTokens },
  work: (loom: Loom) => Promise<Result>,
): Promise<Result> {
  let door: Promise<Door | undefined> | undefined;
  const timer = setTimeout(() => void (door = openFor(opened, tokens)), longerThanMost);
  // Commands end when they are done.
  timer.unref();
  try {
    return await work(opened);
  } finally {
    clearTimeout(timer);
    const shared = await door;
    if (shared !== undefined) {
      await finishForOthers(opened, note);
      await shared.close();
    }
    await opened.close();
  }
}

/** That no other terminal gets in is no reason for a command to fail; it is what a warning is for. */
async function openFor(opened: OpenedFolder, openTokens: OpenTokens): Promise<Door | undefined> {
  try {
    const { openDoor } = await import('../../serve/door.ts');
    return await openDoor({ opened, tokens: await openTokens(), onFailure: warn });
  } catch (error) {
    warn(error);
    return undefined;
  }
}
