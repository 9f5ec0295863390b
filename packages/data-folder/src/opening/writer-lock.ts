import { accessSync, constants } from 'node:fs';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { makeFolder } from '../files/disk.ts';
import { isLocked, LockTimeout, takeLock } from '../files/lock.ts';
import type { HeldLock, TakeLock, TakenLock } from '../files/lock.ts';
import { FolderError } from '../folder-error.ts';
import type { TellFolderNews } from '../folder-news.ts';
import { finishExchange, isExchanging } from '../restoring/folder-exchange.ts';

/** The longest wait for another writer, in milliseconds: for a command that is about to end, or a process just killed. */
const usualPatience = 1500;

/** The same for a writer that lets others in: it is there to stay, unless it was just killed. */
const patienceWithServers = 250;

export interface WriterOptions {
  /** The name under which turns are held. */
  holder: string;
  /** The address at which this process listens. */
  address?: string;
  /** The longest wait for another writer, in milliseconds. */
  patience?: number;
  /** The lock that keeps other writers out. */
  lock?: TakeLock;
  /** Called when a restoration that was cut short has been completed. */
  news?: TellFolderNews;
}

/** Runs `work` as the only writer of a data directory. */
export async function asOnlyWriter<Result>(
  dataDir: string,
  options: WriterOptions,
  work: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const lock = await becomeWriter(dataDir, options);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

/**
 * Makes this process the only writer of a data directory, which is created if needed, until the lock is released. A second process learns which one
 * writes and, if that one listens, its address. A restoration that was cut short is completed before.
 */
export async function becomeWriter(
  dataDir: string,
  { holder, address, patience = usualPatience, lock = takeLock, news = () => {} }: WriterOptions,
): Promise<TakenLock> {
  await makeFolder(dataDir).catch((cause: unknown) => {
    throw new FolderError({ code: 'not-writable', folder: dataDir, why: 'not-made' }, { cause });
  });
  refuseReadOnlyMedium(dataDir);
  const isStaying = (await findWriter(dataDir))?.door !== undefined;
  const taken = await lock(lockFile(dataDir), isStaying ? Math.min(patience, patienceWithServers) : patience).catch(
    async (error: unknown) => {
      throw error instanceof LockTimeout ? anotherWriter(dataDir, await readSign(dataDir)) : error;
    },
  );
  try {
    await writeSign(dataDir, { pid: process.pid, holder, ...(address === undefined ? {} : { address }) });
    await finishExchange(dataDir, news);
    return taken;
  } catch (error) {
    taken.release();
    throw error;
  }
}

/**
 * Publishes this process and its address to others. A hint only: the lock itself is the system's and holds without it. A new file each time, so that
 * it is never read half written, and does not inherit the permissions of an earlier file.
 */
export async function writeSign(dataDir: string, sign: Writer): Promise<void> {
  const path = signFile(dataDir);
  const draft = `${path}.${process.pid}`;
  try {
    await rm(draft, { force: true });
    await writeFile(draft, `${JSON.stringify(sign)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(draft, path);
  } catch {
    await rm(draft, { force: true }).catch(() => {});
  }
}

/** Waits until no restoration of a data folder is under way; one that was cut short is completed. */
export async function settleRestoration(dataDir: string, news: TellFolderNews): Promise<void> {
  if (!isExchanging(dataDir)) return;
  await asOnlyWriter(dataDir, { holder: `restoration-${process.pid}`, news }, async () => {});
}

/** Checked first, because a lock could be had there, and every change would fail. */
function refuseReadOnlyMedium(dataDir: string): void {
  try {
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EROFS') return;
    throw new FolderError({ code: 'not-writable', folder: dataDir, why: 'read-only-medium' }, { cause });
  }
}

/** Returns the process that writes to a data directory at this moment, if any. */
export async function findWriter(dataDir: string): Promise<Writer | undefined> {
  return (await isLocked(lockFile(dataDir))) ? readSign(dataDir) : undefined;
}

/** A process that writes, its name as the holder of turns, and the address at which it listens. */
export type Writer = z.infer<typeof writer>;

/** The secret that lets another process of the same user in at a writer's address; its version tells if they speak the same protocol. */
export type WriterDoor = z.infer<typeof door>;

const door = z.object({ token: z.string(), version: z.string() });

const writer = z.object({
  pid: z.int(),
  holder: z.string(),
  address: z.string().exactOptional(),
  door: door.exactOptional(),
});

function anotherWriter(folder: string, found: Writer | undefined): FolderError {
  const { pid, address } = found ?? {};
  const who = { ...(pid === undefined ? {} : { pid }), ...(address === undefined ? {} : { address }) };
  return new FolderError({ code: 'locked', folder, ...who });
}

function lockFile(dataDir: string): string {
  return join(dataDir, 'loom.lock');
}

function signFile(dataDir: string): string {
  return join(dataDir, 'loom.lock.json');
}

async function readSign(dataDir: string): Promise<Writer | undefined> {
  try {
    const sign: unknown = JSON.parse(await readFile(signFile(dataDir), 'utf8'));
    return writer.safeParse(sign).data;
  } catch {
    // Not written yet, or being written: then the process is unknown.
    return undefined;
  }
}
