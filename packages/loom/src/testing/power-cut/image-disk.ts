import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The file systems that power is cut under. */
export const fileSystems = ['ext4', 'xfs', 'btrfs'] as const;
export type FileSystem = (typeof fileSystems)[number];

/**
 * A disk in a file, of which copies can be taken: each holds exactly what had reached the disk at one moment, without what its file system
 * still had in memory, as after a power cut. If its file can lie on a file system that shares blocks between files, a copy is made between
 * two writes to the disk; else the disk is copied until nothing was written to it meanwhile.
 */
export class ImageDisk {
  readonly #home: string;
  readonly #fileSystem: FileSystem;
  readonly #shelf: FileSystem | undefined = sharingFileSystems.find((name) => isInstalled(`mkfs.${name}`));
  #cuts = 0;

  /** `home` is a folder of a private namespace: its mounts are never taken down. */
  constructor(home: string, fileSystem: FileSystem) {
    this.#home = home;
    this.#fileSystem = fileSystem;
    // In memory, so that it is gone with the namespace.
    run('mount', ['-t', 'tmpfs', '-o', 'size=3g', 'loom-power-cut', home]);
    for (const folder of ['shelf', 'disk']) mkdirSync(join(home, folder));
    if (this.#shelf === undefined) return;
    const shelf = join(home, 'shelf.img');
    makeImage(shelf, 4 * 1024 ** 3, this.#shelf);
    run('mount', ['-o', 'loop', shelf, join(home, 'shelf')]);
  }

  /** True if no process may write to it while it is copied. */
  get needsRest(): boolean {
    return this.#shelf === undefined;
  }

  /** The mount point. */
  get folder(): string {
    return join(this.#home, 'disk');
  }

  /** An empty disk in the place of the one there was. */
  makeAnew(): void {
    for (const name of [live, ...this.#names()]) rmSync(this.#path(name), { force: true });
    makeImage(this.#path(live), imageSize, this.#fileSystem);
    this.#cuts = 0;
  }

  mount(): void {
    run('mount', ['-t', this.#fileSystem, '-o', 'loop', this.#path(live), this.folder]);
  }

  unmount(): void {
    run('umount', [this.folder]);
  }

  /** Keeps the present contents of the disk, and returns their name. */
  cut(): string {
    const name = `cut-${this.#cuts}.img`;
    this.#cuts += 1;
    const paths = [this.#path(live), this.#path(name)];
    if (!this.needsRest) run('cp', ['--reflink=always', ...paths]);
    else copyUntilSame(paths);
    return name;
  }

  /** Puts the disk back to its state at a cut. It must not be mounted. */
  revive(name: string): void {
    renameSync(this.#path(name), this.#path(live));
  }

  #names(): string[] {
    return Array.from({ length: this.#cuts }, (_, index) => `cut-${index}.img`);
  }

  #path(name: string): string {
    return join(this.#home, 'shelf', name);
  }
}

/** Names the package that a file system needs, and how to install it; `undefined` if it is there. */
export function missingTool(
  fileSystem: FileSystem,
  isThere: (tool: string) => boolean = isInstalled,
): string | undefined {
  const needed: Record<string, string> = {
    mount: 'mount',
    [`mkfs.${fileSystem}`]: { ext4: 'e2fsprogs', xfs: 'xfsprogs', btrfs: 'btrfs-progs' }[fileSystem],
  };
  const missing = Object.entries(needed).find(([tool]) => !isThere(tool));
  return missing === undefined
    ? undefined
    : `needs ${missing[0]}: install ${missing[1]} (apt-get install ${missing[1]})`;
}

/** The file systems that share blocks between files. */
const sharingFileSystems: readonly FileSystem[] = ['xfs', 'btrfs'];

function isInstalled(tool: string): boolean {
  const places = [...(process.env['PATH'] ?? '').split(':'), '/usr/sbin', '/sbin'];
  return places.some((place) => existsSync(join(place, tool)));
}

/** The error for a required command that failed. */
export class CommandError extends Error {}

const live = 'live.img';
/** The smallest that xfs agrees to is 300 MB. */
const imageSize = 400 * 1024 ** 2;

/** The system writes on for a moment after the process that wrote to the disk was stopped. */
function copyUntilSame(paths: readonly string[]): void {
  for (let attempt = 0; attempt < 100; attempt += 1) {
    run('cp', ['--sparse=always', ...paths]);
    if (spawnSync('cmp', ['-s', ...paths]).status === 0) return;
  }
  throw new CommandError('the disk did not come to rest');
}

function makeImage(path: string, size: number, fileSystem: FileSystem): void {
  writeFileSync(path, '');
  truncateSync(path, size);
  run(`mkfs.${fileSystem}`, ['-q', path]);
}

function run(command: string, args: readonly string[]): void {
  const path = `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`;
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8', env: { ...process.env, PATH: path } });
  if (status !== 0) throw new CommandError(`${command} ${args.join(' ')}: ${error?.message ?? stderr}`);
}
