import { closeSync, existsSync, openSync, statSync } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { chown, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FolderError } from '../folder-error.ts';
import { errorCode } from './disk.ts';

/** Thrown when another process holds the lock for longer than the caller wants to wait. */
export class LockTimeout extends Error {
  readonly code = 'locked';
}

/** A lock while it is held. */
export interface HeldLock {
  /**
   * Returns true if its file is still where other processes look for it. If the file was removed or replaced, another process may hold a lock, too.
   */
  isInPlace(): boolean;
}

/** A taken lock, until it is released. */
export interface TakenLock extends HeldLock {
  /** Releases it. Idempotent. */
  release(): void;
}

/** Takes the lock of a file, waiting at most `patience` milliseconds. */
export type TakeLock = (path: string, patience: number) => Promise<TakenLock>;

/** Runs `work` while no other process, and no other call in this one, holds the lock of that file. */
export async function withLock<Result>(
  path: string,
  patience: number,
  work: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  const lock = await takeLock(path, patience);
  try {
    return await work(lock);
  } finally {
    lock.release();
  }
}

/**
 * Takes the lock of a file, which no other process, and no other call in this one, gets until it is released. The lock is SQLite's: the system frees
 * it when its holder dies, and a stopped holder keeps it. The file itself stays empty. A lock on a file that was removed or replaced during the wait
 * does not count: then the present file is locked.
 */
export const takeLock: TakeLock = async (path, patience) => {
  const { DatabaseSync } = await import('node:sqlite');
  const deadline = performance.now() + patience;
  for (;;) {
    const file = identify(path) ?? attempt(path, () => create(path));
    const isInPlace = (): boolean => isThere(path, file);
    const database = attempt(path, () => new DatabaseSync(path, { timeout: 0 }));
    const release = (): void => {
      if (database.isOpen) database.close();
    };
    try {
      while (!attempt(path, () => isTaken(database))) {
        if (performance.now() > deadline) throw new LockTimeout(`${path} is locked by another process`);
        await delay(5 + Math.random() * 20);
      }
      if (isInPlace()) {
        await handOver(path);
        return { isInPlace, release };
      }
    } catch (error) {
      release();
      throw error;
    }
    release();
  }
};

type FileIdentity = Pick<BigIntStats, 'dev' | 'ino'>;

/** Returns the identity that tells a file from any other that exists at the same time; `undefined` if it does not exist. */
function identify(path: string): FileIdentity | undefined {
  return statSync(path, exactly);
}

function isThere(path: string, file: FileIdentity | undefined): boolean {
  const found = identify(path);
  return found?.ino === file?.ino && found?.dev === file?.dev;
}

const exactly = { throwIfNoEntry: false, bigint: true } as const;

/** Called before SQLite opens it, since SQLite does not say which file it has opened. Closed at once, while this process cannot have a lock on it. */
function create(path: string): FileIdentity | undefined {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error;
  }
  return identify(path);
}

/** Returns true if a process holds the lock of that file right now. Only reads. */
export async function isLocked(path: string): Promise<boolean> {
  if (!existsSync(path)) return false;
  const { DatabaseSync } = await import('node:sqlite');
  const database = attempt(path, () => new DatabaseSync(path, { timeout: 0, readOnly: true }));
  try {
    attempt(path, () => database.prepare('SELECT 1 FROM sqlite_schema').get());
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

/** Runs work on a lock file, and reports it in words if the file may not be opened. */
function attempt<Result>(path: string, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    const isDenied = (error instanceof Error && 'errcode' in error) || errorCode(error) === 'EACCES';
    if (isBusy(error) || !isDenied) throw error;
    throw new FolderError({ code: 'lock-denied', file: path }, { cause: error });
  }
}

/**
 * Gives a file that root makes to the owner of the folder, who could not lock it otherwise. By path: closing a descriptor of the file would make the
 * system drop every lock that this process has on it.
 */
async function handOver(path: string): Promise<void> {
  if (process.getuid?.() !== 0) return;
  const { uid, gid } = await stat(dirname(path));
  if (uid !== 0) await chown(path, uid, gid);
}

const SQLITE_BUSY = 5;

function isTaken(database: { exec(sql: string): void }): boolean {
  try {
    // Without a journal file nothing is written, so that the lock also works on a full disk.
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (isBusy(error)) return false;
    throw error;
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY;
}
