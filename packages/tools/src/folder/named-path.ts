import { PathError } from './path-error.ts';

/**
 * Splits a path of a folder into names. It may be relative, or absolute below one of the `bases`, which are spellings of the
 * folder's own path. `..` is refused even where it would stay inside: after a link it means another place than it seems to.
 */
export function splitPath(path: string, bases: readonly string[]): string[] {
  if (path.includes('\0')) throw new PathError('bad-name', path.replaceAll('\0', '\\0'), 'A path cannot contain NUL.');
  if (path.length > longestPath) throw new PathError('bad-name', `${path.slice(0, 60)}…`, 'The path is too long.');
  const below = relativeTo(path, bases);
  if (below === undefined) throw outside(path);
  const names = below.split(separator).filter((name) => name !== '' && name !== '.');
  for (const name of names) {
    if (name === '..') {
      throw new PathError(
        'outside',
        path,
        `${path} contains "..". Name the file by its path below the folder instead.`,
      );
    }
    if (isUnsafeOnWindows(name)) {
      throw new PathError('bad-name', path, `${path} contains a name that Windows reads as another one.`);
    }
  }
  return names;
}

/** Refuses a path that leaves the folder. */
export function outside(path: string): PathError {
  return new PathError(
    'outside',
    path,
    `${path} is outside of the folder of this conversation. Use a path inside it, such as src/main.ts.`,
  );
}

/** Returns the part of a path below the first base that it is in; a relative path is below all of them. */
export function relativeTo(path: string, bases: readonly string[]): string | undefined {
  if (!isAbsolute(path)) return path;
  for (const base of bases) {
    const start = base.endsWith('/') ? base : `${base}/`;
    if (path === base || path === start) return '';
    if (path.startsWith(start)) return path.slice(start.length);
  }
  return undefined;
}

function isAbsolute(path: string): boolean {
  return path.startsWith('/') || (isWindows && /^(?:[A-Za-z]:|\\)/u.test(path));
}

/** Streams, short names, and names whose end Windows leaves out. */
function isUnsafeOnWindows(name: string): boolean {
  return isWindows && (/[:*?"<>|]/u.test(name) || /[. ]$/u.test(name) || /~\d/u.test(name));
}

const isWindows = process.platform === 'win32';
const separator = isWindows ? /[/\\]/u : '/';
const longestPath = 4096;
