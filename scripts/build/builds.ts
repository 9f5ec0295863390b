// The folder .cache/built. Each build has a separate folder there, and the file `current` says in its first line which program `./loom` is
// to run and in its second line for which checkout; its time is that at which the build began. It is replaced in one step when a build is
// complete, so no process sees half of one, and two that build at once do not meet.
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { BuiltFile } from './bundle.ts';
import { runningCommands } from './running-commands.ts';

/** A build that has begun. Any change in the checkout from now on makes it stale. */
export interface Build {
  /** The folder of its files. */
  readonly folder: string;
  /** Makes these files the build that `./loom` runs, and returns the path of its program in the checkout. */
  publish(files: readonly BuiltFile[]): Promise<string>;
  /** Lets `./loom` run the sources until one of them changes. */
  giveUp(): void;
}

// The time for which a replaced build stays, for processes that are about to run it.
const graceMilliseconds = 600_000;

/** Begins a build of a checkout; once it returns, every change has a later time than the mark, and the build includes all changes before. */
export async function beginBuild(root: string): Promise<Build> {
  const home = join(root, builtFolder);
  mkdirSync(home, { recursive: true });
  const name = `build-${Date.now().toString(36)}-${process.pid}`;
  const folder = join(home, name);
  mkdirSync(folder);
  const program = join(builtFolder, name, 'main.mjs');
  // Both possible ends are written now, so that their times are those of the beginning.
  const ends = { built: join(folder, 'built'), failed: join(folder, 'failed') };
  writeFileSync(ends.built, `${program}\n${root}\n`);
  writeFileSync(ends.failed, `packages/loom/src/main.ts\n${root}\n`);
  const tick = join(folder, 'tick');
  await tickAfter(ends.failed, tick);
  return {
    folder,
    async publish(files) {
      for (const { name } of files) mkdirSync(dirname(join(folder, name)), { recursive: true });
      await Promise.all(files.map(({ name, content }) => writeFile(join(folder, name), content, { flush: true })));
      settle(ends.built);
      return program;
    },
    giveUp() {
      try {
        settle(ends.failed);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };

  function settle(end: string): void {
    // The build must be complete after a power cut as well.
    for (const path of [end, folder, home]) sync(path);
    const before = readCurrent(home);
    renameSync(end, join(home, 'current'));
    for (const rest of [ends.built, ends.failed, tick]) rmSync(rest, { force: true });
    if (before?.startsWith(builtFolder)) markAsLeft(join(root, before, '..'));
    removeUnused(home, name);
  }
}

const builtFolder = '.cache/built';

function sync(path: string): void {
  const handle = openSync(path, 'r');
  fsyncSync(handle);
  closeSync(handle);
}

/**
 * Waits until the file system gives later times than that of a file: two changes within one tick of its clock, which may
 * take 10 ms, look as if they were made at once.
 */
async function tickAfter(file: string, probe: string): Promise<void> {
  const { mtimeNs } = statSync(file, { bigint: true });
  for (;;) {
    writeFileSync(probe, '.');
    if (statSync(probe, { bigint: true }).mtimeNs > mtimeNs) return;
    await delay(1);
  }
}

/** The program that is run now; none if nothing was ever built, or it belongs to another user. */
export function readCurrent(home: string): string | undefined {
  try {
    return readFileSync(join(home, 'current'), 'utf8').split('\n')[0];
  } catch {
    return undefined;
  }
}

/** Starts the clock of a build that was left. */
function markAsLeft(folder: string): void {
  try {
    utimesSync(folder, new Date(), new Date());
  } catch {
    // Gone, or of another user.
  }
}

/** Removes builds, finished or not, that were left long ago and that no process runs: it may yet import a file of its build. */
function removeUnused(home: string, own: string): void {
  const left = readdirSync(home).filter(
    (name) => name.startsWith('build-') && name !== own && isLongAgo(join(home, name)),
  );
  if (left.length === 0) return;
  const commands = runningCommands();
  if (commands === undefined) return;
  for (const name of left) {
    if (commands.some((command) => command.includes(join(home, name)))) continue;
    try {
      rmSync(join(home, name), { recursive: true, force: true });
    } catch {
      // Of another user, whose builds will remove it.
    }
  }
}

function isLongAgo(folder: string): boolean {
  const stat = statSync(folder, { throwIfNoEntry: false });
  return stat !== undefined && Date.now() - stat.mtimeMs > graceMilliseconds;
}
