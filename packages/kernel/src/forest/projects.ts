import { isPlainObject } from '@loom/blocks';
import type { RepositoryFacts } from '../ports.ts';
import type { RootConfig } from '../op.ts';

/** The facts that tell which project a conversation belongs to. */
export interface WorkFacts {
  /** The project that it was put into. */
  mark?: string;
  /** The folder that it works in. */
  directory?: string;
  /** The address of the repository, as the program noted it that the conversation comes from. */
  repository?: string;
  /** The git branch that the program noted. */
  branch?: string;
}

/** The knowledge about folders: the repository that a folder of this machine is in, and the addresses that conversations in it noted. */
export interface FolderKnowledge {
  repositoryOf(directory: string): RepositoryFacts | undefined;
  addressNoted(directory: string): string | undefined;
  /** Returns true for the scratch folder of a conversation, which is no project. */
  isScratch?(directory: string): boolean;
}

/** Reads the facts from a conversation in a list. */
export function workFactsOf({ config, project }: { config: RootConfig; project?: string | undefined }): WorkFacts {
  const { directory, imported } = config;
  const details = isPlainObject(imported) && isPlainObject(imported['details']) ? imported['details'] : {};
  const repository = addressOf(textIn(details['repository']) ?? '');
  const branch = textIn(details['git_branch']) ?? textIn(details['branch']);
  const folder = textIn(directory);
  return {
    ...(project === undefined ? {} : { mark: project }),
    ...(folder === undefined ? {} : { directory: withoutSlash(folder) }),
    ...(repository === undefined ? {} : { repository }),
    ...(branch === undefined ? {} : { branch }),
  };
}

/**
 * Returns the id of the project that a conversation belongs to: the one that it was put into, else the repository that its folder is in, else
 * the folder. A repository is named by its address, so that it is one project on every machine, else by its top folder.
 */
export function projectOf({ mark, directory, repository }: WorkFacts, known: FolderKnowledge): string | undefined {
  if (mark !== undefined) return mark;
  if (directory === undefined) return repository;
  if (known.isScratch?.(directory) === true) return undefined;
  const found = known.repositoryOf(directory);
  const address = (found?.remote && addressOf(found.remote)) ?? known.addressNoted(directory) ?? repository;
  return address ?? found?.top ?? repositoryOfWorktree(directory) ?? directory;
}

/** Returns the name of a project: the last part of its id. */
function projectName(id: string): string {
  return id.split(/[/\\]/u).findLast((part) => part !== '') ?? id;
}

/** Names projects, with as many parts of their ids as tell them apart. */
export function projectNames(ids: readonly string[]): Map<string, string> {
  const names = new Map<string, string>();
  const counts = new Map<string, number>();
  for (const id of ids) counts.set(projectName(id), (counts.get(projectName(id)) ?? 0) + 1);
  for (const id of ids) {
    const name = projectName(id);
    const parts = id.split(/[/\\]/u).filter(Boolean);
    names.set(id, counts.get(name) === 1 ? name : parts.slice(-2).join('/'));
  }
  return names;
}

/**
 * Returns the address of a repository without its protocol, its user, and the ending `.git`: `github.com/loom/loom`. A secret in it goes with the
 * user. `undefined` for a path of one machine.
 */
export function addressOf(url: string): string | undefined {
  const parts =
    /^(?:https?|ssh|git|git\+ssh):\/\/(?:[^@/]*@)?(?<host>[^/:]+)(?::\d+)?\/(?<path>.+)$/iu.exec(url) ??
    /^(?:[^@/:]+@)(?<host>[^/:]+):(?<path>[^\\]+)$/u.exec(url);
  const { host = '', path = '' } = parts?.groups ?? {};
  const bare = path
    .replace(/[?#].*$/u, '')
    .replace(/\/+$/u, '')
    .replace(/\.git$/u, '')
    .replace(/^\/+/u, '');
  return host === '' || bare === '' ? undefined : `${host.toLowerCase()}/${bare}`;
}

/** Returns the repository that a worktree belongs to, by the places in which programs make them; the folder may be gone. */
function repositoryOfWorktree(directory: string): string | undefined {
  return /^(.+?)(?:-worktrees|[/\\]\.(?:claude|cursor|loom)[/\\]worktrees|[/\\]\.worktrees|[/\\]\.conductor)[/\\][^/\\]+/u.exec(
    directory,
  )?.[1];
}

function withoutSlash(directory: string): string {
  return directory.replace(/(?<=.)[/\\]+$/u, '');
}

function textIn(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
