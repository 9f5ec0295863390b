import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { RepositoryFacts } from '@loom/kernel';

/** A folder as it is on the disk now. */
export interface FolderFacts {
  exists: boolean;
  /** The branch that is checked out in it; absent outside of git, and where a commit is checked out. */
  branch?: string;
  /** The top of the repository, or of the one that a worktree belongs to. */
  repository?: string;
  worktree?: true;
}

/** Reads the state of a folder from files alone: no program is started. */
export async function readFolderFacts(directory: string): Promise<FolderFacts> {
  const found = await stat(directory).catch(() => undefined);
  if (found?.isDirectory() !== true) return { exists: false };
  const git = await findGit(directory);
  if (git === undefined) return { exists: true };
  const head = await readFile(join(git.path, 'HEAD'), 'utf8').catch(() => '');
  const branch = /^ref: refs\/heads\/(.+)$/mu.exec(head)?.[1];
  return {
    exists: true,
    ...(branch === undefined ? {} : { branch }),
    repository: git.repository,
    ...(git.isWorktree ? { worktree: true } : {}),
  };
}

/** Returns the repository that a folder is in, with the address that it was cloned from. Reads files alone. */
export async function readRepository(directory: string): Promise<RepositoryFacts | undefined> {
  const found = await stat(directory).catch(() => undefined);
  const git = found?.isDirectory() === true ? await findGit(directory) : undefined;
  if (git === undefined) return undefined;
  // A worktree shares the settings of its repository.
  const place = git.isWorktree ? join(git.repository, '.git') : git.path;
  const remote = addressIn(await readFile(join(place, 'config'), 'utf8').catch(() => ''));
  return { top: git.repository, ...(remote === undefined ? {} : { remote }) };
}

/** Finds the address of `origin` in the settings of a repository, else of its first remote. */
function addressIn(config: string): string | undefined {
  const addresses = new Map<string, string>();
  let remote: string | undefined;
  for (const line of config.split('\n')) {
    const section = /^\s*\[\s*(\w+)(?:\s+"(.*)")?\s*\]/u.exec(line);
    if (section !== null) remote = section[1] === 'remote' ? section[2] : undefined;
    const url = /^\s*url\s*=\s*(\S+)/u.exec(line)?.[1];
    if (remote !== undefined && url !== undefined && !addresses.has(remote)) addresses.set(remote, url);
  }
  return addresses.get('origin') ?? addresses.values().next().value;
}

interface GitFolder {
  /** The folder with HEAD. */
  path: string;
  repository: string;
  isWorktree: boolean;
}

/** Finds the `.git` of a folder or of one above it; in a worktree it is a file that names the folder. */
async function findGit(directory: string): Promise<GitFolder | undefined> {
  for (let at = directory; ; at = dirname(at)) {
    const place = join(at, '.git');
    const found = await stat(place).catch(() => undefined);
    // An empty `.git` makes no repository.
    if (found?.isDirectory() === true && existsSync(join(place, 'HEAD')))
      return { path: place, repository: at, isWorktree: false };
    if (found?.isFile() === true) return readLink(at, place);
    if (dirname(at) === at) return undefined;
  }
}

async function readLink(at: string, place: string): Promise<GitFolder | undefined> {
  const named = /^gitdir: (.+)$/mu.exec(await readFile(place, 'utf8').catch(() => ''))?.[1];
  if (named === undefined) return undefined;
  const path = resolve(at, named.trim());
  // `<repository>/.git/worktrees/<name>`; a submodule's is elsewhere, and it is a repository.
  const top = /^(.*)[/\\]\.git[/\\]worktrees[/\\][^/\\]+$/u.exec(path)?.[1];
  return { path, repository: top ?? at, isWorktree: top !== undefined };
}
