import { existsSync, realpathSync } from 'node:fs';
import { gitMounts } from './git-folders.ts';
import type { HiddenPath } from './hidden-paths.ts';

/** The limits of one command. */
export interface SandboxPlan {
  /** The folder that the command works in, as the system knows it after following links. */
  readonly directory: string;
  /** True if it may change nothing but its private /tmp. */
  readonly isReadOnly?: boolean;
  /** True if it may reach other machines, and this one. */
  readonly hasNetwork?: boolean;
  readonly hidden: readonly HiddenPath[];
}

/** Sockets of other programs are in these folders: the private ones are empty. */
const privateFolders = ['/tmp', '/var/tmp', '/run'];

/** Folders below /run without which some systems find no program. */
const neededOfRun = ['/run/current-system', '/run/opengl-driver'];

/** Settings of the whole machine, which root could change even without any rights: with a core pattern it could run programs outside. */
const kernelSettings = ['/proc/sys', '/proc/sysrq-trigger', '/proc/irq', '/proc/bus', '/proc/fs'];

/** Returns bubblewrap's arguments for a command. */
export function bubblewrapArguments(plan: SandboxPlan, command: readonly string[]): string[] {
  const { directory, isReadOnly = false, hasNetwork = false } = plan;
  // A Loom that runs as root would pass on the rights with which a command could undo all this.
  const apart = ['--unshare-all', '--unshare-user', '--cap-drop', 'ALL', '--die-with-parent'];
  if (own.test(directory)) throw new Error(`${directory} belongs to the system itself`);
  const root = directory === '/' && !isReadOnly ? '--bind' : '--ro-bind';
  const base = [root, '/', '/', '--dev', '/dev', '--proc', '/proc'];
  return [
    ...apart,
    ...(hasNetwork ? ['--share-net'] : []),
    ...base,
    ...kernelSettings.filter(exists).flatMap((path) => ['--ro-bind', path, path]),
    ...mounts(plan).flatMap(({ args }) => args),
    ...(isReadOnly ? [] : gitMounts(directory)).flatMap(({ path, isReadOnly: isGuarded }) => [
      isGuarded ? '--ro-bind' : '--bind',
      path,
      path,
    ]),
    '--chdir',
    directory,
    '--',
    ...command,
  ];
}

/** In these folders a command would find other programs, or their sockets, in spite of the sandbox. */
const own = /^\/(?:proc|sys|dev|run)(?:\/|$)/u;

interface Mount {
  readonly path: string;
  readonly args: readonly string[];
}

/** Outer folders first: the folder of the conversation may be inside of a hidden one, and a hidden one inside of it. */
function mounts({ directory, isReadOnly, hasNetwork, hidden }: SandboxPlan): Mount[] {
  const all: Mount[] = [
    ...privateFolders.filter(exists).map((path) => ({ path, args: ['--tmpfs', path] })),
    ...neededOfRun.filter(exists).map((path) => ({ path, args: ['--ro-bind', path, path] })),
    ...(hasNetwork === true ? resolverFile() : []),
    ...hidden
      .filter(({ path }) => path !== directory)
      .map(({ path, isFolder }) => ({
        path,
        args: [
          ...(isReadOnly !== true && isBelow(path, directory) ? ['--ro-bind', path, path] : []),
          ...(isFolder ? ['--tmpfs', path] : ['--ro-bind', '/dev/null', path]),
        ],
      })),
    // The root is mounted first of all.
    ...(directory === '/'
      ? []
      : [{ path: directory, args: [isReadOnly === true ? '--ro-bind' : '--bind', directory, directory] }]),
  ];
  return all.toSorted((one, other) => depth(one.path) - depth(other.path));
}

/**
 * Returns true for what is hidden inside of the folder. Bubblewrap makes a place to mount on where there is none, and there it would stay: so
 * what is hidden is first mounted on itself, which fails if it is gone by now.
 */
function isBelow(path: string, directory: string): boolean {
  return path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/** The addresses of name servers are often in /run. */
function resolverFile(): Mount[] {
  try {
    const path = realpathSync('/etc/resolv.conf');
    return path.startsWith('/run/') ? [{ path, args: ['--ro-bind', path, path] }] : [];
  } catch {
    return [];
  }
}

function exists(path: string): boolean {
  return existsSync(path);
}

function depth(path: string): number {
  return path.split('/').filter((name) => name !== '').length;
}
