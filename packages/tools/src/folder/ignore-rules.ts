import { Glob } from './glob.ts';

interface IgnorePattern {
  glob: Glob;
  isNegated: boolean;
  onlyFolders: boolean;
}

/** The patterns of one `.gitignore` file, for paths below the folder that it is in. */
export class IgnoreRules {
  readonly #patterns: readonly IgnorePattern[];

  constructor(text: string) {
    this.#patterns = text.split('\n').flatMap((line) => readPattern(line));
  }

  /** Returns true if a path is ignored, false if it is taken in again, and `undefined` if no pattern is about it. */
  verdict(path: string, isFolder: boolean): boolean | undefined {
    const last = this.#patterns.findLast(({ glob, onlyFolders }) => (isFolder || !onlyFolders) && glob.matches(path));
    return last === undefined ? undefined : !last.isNegated;
  }
}

function readPattern(line: string): IgnorePattern[] {
  let text = line.endsWith('\r') ? line.slice(0, -1) : line;
  // Blanks at the end count only behind a backslash.
  text = text.replace(/(?<!\\)[ \t]+$/u, '');
  if (text === '' || text.startsWith('#')) return [];
  const isNegated = text.startsWith('!');
  if (isNegated) text = text.slice(1);
  if (text.startsWith('\\#') || text.startsWith('\\!')) text = text.slice(1);
  const onlyFolders = text.endsWith('/');
  if (onlyFolders) text = text.slice(0, -1);
  if (text === '') return [];
  const isAnchored = text.includes('/');
  const below = text.startsWith('/') ? text.slice(1) : text;
  return [{ glob: new Glob(isAnchored ? below : `**/${below}`), isNegated, onlyFolders }];
}

/** The rules that hold for a folder: those of the folders above it, and its own. The nearest rules decide. */
export class IgnoreStack {
  readonly #levels: readonly { depth: number; rules: IgnoreRules }[];

  constructor(levels: readonly { depth: number; rules: IgnoreRules }[] = []) {
    this.#levels = levels;
  }

  /** Adds the rules of a folder; `depth`: the number of names from the top to it. */
  with(depth: number, rules: IgnoreRules): IgnoreStack {
    return new IgnoreStack([...this.#levels, { depth, rules }]);
  }

  /** Returns true if the path, given by its names from the top, is ignored. Folders above it are taken not to be. */
  ignores(names: readonly string[], isFolder: boolean): boolean {
    for (const { depth, rules } of this.#levels.toReversed()) {
      const verdict = rules.verdict(names.slice(depth).join('/'), isFolder);
      if (verdict !== undefined) return verdict;
    }
    return false;
  }
}
