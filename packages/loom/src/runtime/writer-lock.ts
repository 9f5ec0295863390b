import { accessSync, constants } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { LoomError } from '../failure.ts';
import { isLocked, LockTimeout, withLock } from '../files/lock.ts';
import type { HeldLock } from '../files/lock.ts';
import { finishExchange, isExchanging } from './folder-exchange.ts';

/** How long to wait for another writer, in milliseconds: for a command that is about to end, or a process just killed. */
const usualPatience = 1500;

export interface WriterOptions {
  /** The name under which turns are held. */
  holder: string;
  /** Where this process can be talked to. */
  address?: string;
  /** How long to wait for another writer, in milliseconds. */
  patience?: number;
  /** What keeps other writers out. */
  lock?: typeof withLock;
}

/**
 * Runs `work` as the only writer of a data directory, which is made if needed. A second process is told which one writes and, if
 * that one can be talked to, where. A restoration that was cut short is completed before.
 */
export async function asOnlyWriter<Result>(
  dataDir: string,
  { holder, address, patience = usualPatience, lock = withLock }: WriterOptions,
  work: (lock: HeldLock) => Promise<Result>,
): Promise<Result> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 }).catch((cause: unknown) => {
    throw new LoomError('not-writable', `the data folder ${dataDir} cannot be made`, {
      advice: 'Choose another one with --data-dir, or correct the permissions of the folders above it.',
      cause,
    });
  });
  refuseReadOnlyMedium(dataDir);
  try {
    return await lock(lockFile(dataDir), patience, async (held) => {
      const sign: Writer = { pid: process.pid, holder, ...(address === undefined ? {} : { address }) };
      // A hint for others only: the lock itself is the system's and holds without it.
      await writeFile(signFile(dataDir), `${JSON.stringify(sign)}\n`, { mode: 0o600 }).catch(() => {});
      await finishExchange(dataDir);
      return work(held);
    });
  } catch (error) {
    if (error instanceof LockTimeout) throw anotherWriter(dataDir, await readSign(dataDir));
    throw error;
  }
}

/** Waits until no restoration of a data folder is under way; one that was cut short is completed. */
export async function settleRestoration(dataDir: string): Promise<void> {
  if (isExchanging(dataDir)) await asOnlyWriter(dataDir, { holder: `restoration-${process.pid}` }, async () => {});
}

/** Told first, because a lock could be had there, and every change would fail. */
function refuseReadOnlyMedium(dataDir: string): void {
  try {
    accessSync(dataDir, constants.W_OK);
  } catch (cause) {
    if (!(cause instanceof Error) || !('code' in cause) || cause.code !== 'EROFS') return;
    throw new LoomError('not-writable', `the data folder ${dataDir} is on a read-only medium`, {
      advice:
        'Copy it and name the copy with --data-dir. Commands that only read (ls, show, tree, read, search, …) work here.',
      cause,
    });
  }
}

/** The process that writes to a data directory at this moment, if one does. */
export async function findWriter(dataDir: string): Promise<Writer | undefined> {
  return (await isLocked(lockFile(dataDir))) ? readSign(dataDir) : undefined;
}

/** A process that writes, its name as the holder of turns, and where it listens. */
export type Writer = z.infer<typeof writer>;

const writer = z.object({ pid: z.int(), holder: z.string(), address: z.string().exactOptional() });

function anotherWriter(dataDir: string, found: Writer | undefined): LoomError {
  const at = found?.address === undefined ? '' : ` at ${found.address}`;
  const who = found === undefined ? 'another process' : `another loom (process ${found.pid}${at})`;
  const advice = found?.address === undefined ? 'Wait for it or end it,' : `Go on at ${found.address}, or end it,`;
  const { pid, address } = found ?? {};
  return new LoomError('locked', `${who} is writing to ${dataDir}`, {
    advice: `${advice} or use another folder with --data-dir. Commands that only read (ls, show, tree, read, search, …) work meanwhile.`,
    details: { ...(pid === undefined ? {} : { pid }), ...(address === undefined ? {} : { address }) },
  });
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
