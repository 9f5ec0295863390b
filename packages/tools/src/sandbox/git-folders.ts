import { existsSync, mkdirSync, readFileSync, readdirSync, realpathSync, rmSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';

/**
 * A part of a repository that is mounted for itself: a command can then neither rename nor remove it, nor put something else in its place.
 * A folder that is read-only would not be enough alone, because its parent could be moved out of the way.
 */
export interface GitMount {
  readonly path: string;
  readonly isReadOnly: boolean;
}

/**
 * Returns the parts of the repository that a folder is the top of, outer ones first. A command may commit, but not change what git runs for
 * the person later, outside of the sandbox, and what no diff shows: hooks, and settings, which can name programs.
 */
export function gitMounts(directory: string): GitMount[] {
  const marker = join(directory, '.git');
  try {
    if (statSync(marker).isDirectory()) return repositoryMounts(marker);
    const { own, repository } = worktreeOf(marker) ?? {};
    const file = { path: marker, isReadOnly: true };
    return repository === undefined ? [file] : [file, ...repositoryMounts(repository, own)];
  } catch {
    return [];
  }
}

/**
 * Returns the files with which a command could have git read settings from elsewhere, as far as they are there. `commondir` occurs only in the
 * notes about worktrees, and an empty one in a repository would make git fail; `config.worktree` is read where a repository says so. Neither
 * can be mounted while it is missing: so those that are new are removed afterwards.
 */
export function plantedFiles(directory: string): string[] {
  return repositoriesOf(join(directory, '.git'))
    .flatMap((path) => ['commondir', 'config.worktree'].map((name) => join(path, name)))
    .filter((path) => existsSync(path));
}

/** Returns the repository of a folder, with its submodules and, for a worktree, the notes about it. */
function repositoriesOf(marker: string): string[] {
  if (isFolder(marker)) return [marker, ...submodules(marker)];
  if (!existsSync(marker)) return [];
  const { own, repository } = worktreeOf(marker) ?? {};
  return own === undefined || repository === undefined ? [] : [own, repository, ...submodules(repository)];
}

/** Removes the planted files that were not there before a command. Returns them. */
export function removePlanted(directory: string, before: readonly string[]): string[] {
  const planted = plantedFiles(directory).filter((path) => !before.includes(path));
  for (const path of planted) rmSync(path, { recursive: true, force: true });
  return planted;
}

/**
 * Returns the repository that the file `.git` of a worktree names, and the notes about the worktree in it. A command may have written that
 * file, so it counts only if the repository names the worktree, too.
 */
function worktreeOf(marker: string): { own: string; repository: string } | undefined {
  const named = /^gitdir: (.+)$/mu.exec(readFileSync(marker, 'utf8'))?.[1];
  if (named === undefined) return undefined;
  const own = realpathSync(resolve(marker, '..', named.trim()));
  const back = realpathSync(resolve(own, readFileSync(join(own, 'gitdir'), 'utf8').trim()));
  if (back !== realpathSync(marker)) return undefined;
  return { own, repository: realpathSync(resolve(own, readFileSync(join(own, 'commondir'), 'utf8').trim())) };
}

function repositoryMounts(repository: string, own?: string): GitMount[] {
  return [
    ...guarded(repository),
    ...within(repository, 'worktrees').flatMap((path) =>
      path === own || path === join(repository, 'worktrees')
        ? [{ path, isReadOnly: false }, ...readOnly(path, ['commondir', 'gitdir', 'config.worktree'])]
        : [{ path, isReadOnly: true }],
    ),
    ...submodules(repository).flatMap(guarded),
  ];
}

/** Mounts a repository so that it can be written to, without its hooks and settings. */
function guarded(repository: string): GitMount[] {
  // A hook could be put into a folder that is missing.
  if (existsSync(join(repository, 'HEAD'))) mkdirSync(join(repository, 'hooks'), { recursive: true });
  return [{ path: repository, isReadOnly: false }, ...readOnly(repository, ['hooks', 'config', 'config.worktree'])];
}

function readOnly(folder: string, names: readonly string[]): GitMount[] {
  return names
    .map((name) => join(folder, name))
    .filter((path) => existsSync(path))
    .map((path) => ({ path, isReadOnly: true }));
}

/** Returns a folder of a repository, if it is there, and what is in it. */
function within(repository: string, name: string): string[] {
  const folder = join(repository, name);
  return isFolder(folder) ? [folder, ...readdirSync(folder).map((one) => join(folder, one))] : [];
}

/** Returns the repositories of submodules, outer ones first. Their names may have several parts, and they may have submodules. */
function submodules(repository: string): string[] {
  const folders = within(repository, 'modules').slice(1).filter(isFolder);
  for (const folder of folders) {
    // The list grows while it is read.
    if (!existsSync(join(folder, 'HEAD')))
      folders.push(
        ...readdirSync(folder)
          .map((name) => join(folder, name))
          .filter(isFolder),
      );
    else folders.push(...within(folder, 'modules').slice(1).filter(isFolder));
  }
  return folders.filter((folder) => existsSync(join(folder, 'HEAD')));
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
