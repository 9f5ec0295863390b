import { createHash, randomBytes } from 'node:crypto';
import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, dirname, join } from 'node:path';
import type { FilesPort } from './files-port.ts';
import { failedWith } from './files-port.ts';
import { machineFiles } from './machine-files.ts';

/**
 * A name beside a file for what will take its place once it is complete, where several processes may be at it. It tells the one that is.
 */
export function temporaryName(path: string): string {
  const mark = randomBytes(6).toString('hex');
  return join(dirname(path), `.${basename(path)}.${findMachine()}-${process.pid}-${mark}.tmp`);
}

/** Returns the file that a temporary name stands for, and any other path unchanged, so that messages name the file that people know. */
export function fileOfTemporary(path: string): string {
  const [, name] = temporary.exec(basename(path)) ?? [];
  return name === undefined ? path : join(dirname(path), name);
}

/** Rewrites a system message about a temporary file so that it names the file that people know. */
export function withoutTemporaryNames(message: string): string {
  return message.replaceAll(/'([^']+)'/gu, (quoted, path: string) => {
    const known = fileOfTemporary(path);
    return known === path ? quoted.replace(/(?:\.loom)?\.tmp'$/u, "'") : `'${known}'`;
  });
}

/** Removes unfinished files from a folder whose processes have ended. Machines may share it: files of another one stay. */
export async function sweepTemporaries(
  folder: string,
  files: Pick<FilesPort, 'list' | 'remove'> = machineFiles,
): Promise<void> {
  for (const name of await files.list(folder)) {
    const [, , owner, pid] = temporary.exec(name) ?? [];
    if (owner !== findMachine() || isAlive(Number(pid))) continue;
    // Another process may be sweeping, too.
    await files.remove(join(folder, name)).catch(() => undefined);
  }
}

const temporary = /^\.(.+)\.([0-9a-f]{8})-(\d+)-[0-9a-f]{12}\.tmp$/u;

let machine: string | undefined;

/** Identifies the scope in which process ids mean the same as here: this machine since its last start, or a container on it. */
function findMachine(): string {
  machine ??= describeMachine();
  return machine;
}

function describeMachine(): string {
  const start = readOr('', () => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8'));
  const container = readOr('', () => readlinkSync('/proc/self/ns/pid'));
  const place = [hostname(), start, container].join('\n');
  return createHash('sha256').update(place).digest('hex').slice(0, 8);
}

/** Reads a file that not every system has. */
function readOr(absent: string, read: () => string): string {
  try {
    return read();
  } catch {
    return absent;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return !failedWith(error, 'ESRCH');
  }
}
