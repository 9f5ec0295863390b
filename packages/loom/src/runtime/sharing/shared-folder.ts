import { nodeDisk } from '@loom/data-folder/files';
import { isDatabaseUrl } from '../../command-line/store-kind.ts';
import { accessOperations } from '../../serve/access-operations.ts';
import type { Door } from '../../serve/door.ts';
import { credentialsOf, openTokensOnce, type OpenTokens } from '../../serve/token-file.ts';
import { closeDoor, finishForOthers, untilQuiet } from './answers-for-others.ts';
import { handOverOperation, untilTaken } from './hand-over.ts';
import { findPlace, takeOrFind } from './held-folder.ts';
import { movable } from './movable-loom.ts';
import type { Loom } from '../loom.ts';
import { printNote, type LoomOptions, type OpenedFolder } from '../opened-folder.ts';
import { warn } from '../warn.ts';

/**
 * The time, in milliseconds, after which a command that has the folder lets other terminals in. Most are over by then, also in long
 * conversations.
 */
const longerThanMost = 800;

export interface SharedOptions extends LoomOptions {
  /** The tokens of the folder; by default those of its file. */
  tokens?: OpenTokens;
}

/**
 * Runs `work` with a data folder, which is made if it is not there: as its only writer, or through the process that is that. A writer that
 * takes longer than most commands listens on this machine, so that other terminals can work with the folder, too.
 */
export async function withLoom<Result>(options: SharedOptions, work: (loom: Loom) => Promise<Result>): Promise<Result> {
  const { tokens = openTokensOnce(nodeDisk, options.dataDir), operations = [], store, dataDir } = options;
  if (isDatabaseUrl(store)) {
    const { withSharedStore } = await import('../opened-store.ts');
    return withSharedStore({ url: store, dataDir }, work);
  }
  const parts = {
    ...options,
    tokens,
    operations: [...accessOperations(tokens), ...operations],
    credentials: credentialsOf(tokens),
  };
  const handing: { over?: () => Promise<void> } = {};
  const handOver = handOverOperation(async () => handing.over?.().catch(warn));
  const held = await takeOrFind({ ...parts, operations: [...parts.operations, handOver] });
  if ('opened' in held) return sharing(held.opened, { ...parts, handing }, work);
  const { attach } = await import('./attached-folder.ts');
  const attached = attach(parts, held.place);
  try {
    return await work(attached);
  } finally {
    await attached.close();
  }
}

interface SharingOptions extends LoomOptions {
  tokens: OpenTokens;
  /** The reaction when another process wants to serve the folder. */
  handing: { over?: () => Promise<void> };
}

async function sharing<Result>(
  opened: OpenedFolder,
  { handing, ...options }: SharingOptions,
  work: (loom: Loom) => Promise<Result>,
): Promise<Result> {
  const { dataDir, tokens, note = printNote } = options;
  const { loom, moveTo } = movable(opened);
  let door: Promise<Door | undefined> | undefined;
  let end = async (): Promise<void> => {
    const shared = await door;
    if (shared !== undefined) {
      await finishForOthers(opened, note);
      await closeDoor(opened.engine, shared);
    }
    await opened.close();
  };
  let moved: Promise<void> | undefined;
  handing.over = () =>
    (moved ??= moveTo(async () => {
      await untilQuiet(opened.engine);
      await closeDoor(opened.engine, await door);
      await opened.close();
      await untilTaken(dataDir);
      const { attach, nowhere } = await import('./attached-folder.ts');
      const attached = attach(options, (await findPlace(dataDir)) ?? nowhere);
      end = () => attached.close();
      return attached;
    }));
  const timer = setTimeout(() => void (door = openFor(opened, tokens)), longerThanMost);
  // Commands end when they are done.
  timer.unref();
  try {
    return await work(loom);
  } finally {
    clearTimeout(timer);
    await moved;
    await end();
  }
}

/** Opens the door for other terminals. A failure only prints a warning: it must not make the command fail. */
async function openFor(opened: OpenedFolder, openTokens: OpenTokens): Promise<Door | undefined> {
  try {
    const { openDoor } = await import('../../serve/door.ts');
    return await openDoor({ opened, tokens: await openTokens(), onFailure: warn });
  } catch (error) {
    warn(error);
    return undefined;
  }
}
