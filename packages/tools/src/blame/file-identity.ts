import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { isRepositoryTop } from '../folder/repository-top.ts';

/** The folder of a conversation, and the project that it belongs to. */
export interface Workplace {
  directory: string | undefined;
  project: string | undefined;
  /** The caller said that its folder is another checkout of the same project. */
  isNamed: boolean;
}

/**
 * Tells whether a path that a conversation names means a file. It does if it is the file's own path, or if it is the same path in another
 * checkout of the project: a worktree, a clone, or the computer that a session was imported from.
 */
export class FileIdentity {
  readonly #project: string | undefined;
  readonly #top: string;
  readonly #paths: Set<string>;
  readonly #below: Set<string>;
  readonly #tops = new Map<string, string | undefined>();

  /** `spellings`: the absolute paths of the file. `top`: the top of its repository, or its folder. */
  constructor(spellings: readonly string[], top: string, project: string | undefined) {
    this.#project = project;
    this.#top = top;
    this.#paths = new Set(spellings);
    this.#below = new Set(spellings.flatMap((path) => this.#pathBelow(path, top) ?? []));
  }

  /** The last parts of all its names. */
  get names(): Set<string> {
    return new Set([...this.#paths, ...this.#below].map((path) => path.slice(path.lastIndexOf('/') + 1)));
  }

  /** Adds a name that the file had earlier, by its path below the top. */
  addBelow(path: string): void {
    this.#below.add(path);
    this.#paths.add(join(this.#top, path));
  }

  /** Returns the absolute path that a conversation means, which is the same for all its spellings of one file. */
  absolute(path: string, { directory }: Pick<Workplace, 'directory'>): string {
    return isAbsolute(path) || directory === undefined ? path : resolve(directory, path);
  }

  isSame(path: string, place: Workplace): boolean {
    if (this.#paths.has(path)) return true;
    if (!place.isNamed && (this.#project === undefined || place.project !== this.#project)) return false;
    return this.#belowOf(path, place).some((below) => this.#below.has(below));
  }

  /** Adds another name of the file in a conversation: the one before it was renamed. */
  addName(path: string, place: Workplace): void {
    this.#paths.add(path);
    for (const below of this.#belowOf(path, place)) this.#below.add(below);
  }

  /** Returns the paths that a path may have below the top of its repository. The folder may be gone, or be on another computer. */
  #belowOf(path: string, { directory }: Workplace): string[] {
    const top = directory === undefined ? undefined : (this.#topOf(directory) ?? worktreeIn(directory) ?? directory);
    const below = top === undefined ? undefined : this.#pathBelow(path, top);
    return below === undefined ? [] : [below];
  }

  #topOf(directory: string): string | undefined {
    if (!this.#tops.has(directory)) this.#tops.set(directory, repositoryTop(directory));
    return this.#tops.get(directory);
  }

  #pathBelow(path: string, top: string): string | undefined {
    const below = relative(top, path);
    return below === '' || below.startsWith('..') || isAbsolute(below) ? undefined : below.split(sep).join('/');
  }
}

/** Returns the top of the checkout that a folder is in: of a worktree its own. */
export function repositoryTop(directory: string): string | undefined {
  for (let at = directory; ; at = dirname(at)) {
    if (isRepositoryTop(at)) return at;
    if (dirname(at) === at) return undefined;
  }
}

/** Returns the top of a worktree that is gone, by the places in which programs make them. */
function worktreeIn(directory: string): string | undefined {
  return /^.+?(?:-worktrees|[/\\]\.(?:claude|cursor|loom)[/\\]worktrees|[/\\]\.worktrees|[/\\]\.conductor)[/\\][^/\\]+/u.exec(
    directory,
  )?.[0];
}
