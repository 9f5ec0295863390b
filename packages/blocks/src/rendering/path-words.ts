/** The folders that paths are told from. */
export interface PathBase {
  /** The folder of the conversation. */
  readonly folder?: string | undefined;
  /** The home folder of the person; without it, the one that the folder of the conversation lies in. */
  readonly home?: string | undefined;
}

/** Returns a path for people: relative in the folder of the conversation, from `~` in the home folder; any other stays whole. */
export function pathWords(path: string, { folder, home }: PathBase): string {
  const inFolder = below(path, folder);
  if (inFolder !== undefined) return inFolder === '' ? splitPath(path).name : inFolder;
  const inHome = below(path, home ?? homeAround(folder));
  if (inHome === undefined) return path;
  return inHome === '' ? '~' : `~${separatorOf(path)}${inHome}`;
}

/** Returns the whole path of a file that may be told from the folder of the conversation, as an editor can open it. */
export function fullPathIn(path: string, folder: string | undefined): string {
  if (folder === undefined || isAbsolutePath(path) || path.startsWith('~')) return path;
  return `${folder.replace(/[/\\]+$/u, '')}${separatorOf(folder)}${path.replace(/^\.[/\\]/u, '')}`;
}

/** Splits a path into its folder, with the slash, and its name. */
export function splitPath(path: string): { folder: string; name: string } {
  const trimmed = path.length > 1 ? path.replace(/[/\\]+$/u, '') : path;
  const at = Math.max(trimmed.lastIndexOf('/'), isOfWindows(trimmed) ? trimmed.lastIndexOf('\\') : -1);
  return { folder: path.slice(0, at + 1), name: path.slice(at + 1) };
}

export function isAbsolutePath(path: string): boolean {
  return path.startsWith('/') || isOfWindows(path);
}

/** The home folder that a folder lies in, as far as its path shows that. */
export function homeAround(folder: string | undefined): string | undefined {
  return folder === undefined ? undefined : homes.exec(folder)?.[0];
}

const homes = /^(?:\/(?:home|Users)\/[^/]+|\/root|[A-Za-z]:[\\/]Users[\\/][^\\/]+)(?=[\\/]|$)/u;

/** The part of a path behind a folder; `''` for the folder itself, `undefined` outside of it. */
function below(path: string, folder: string | undefined): string | undefined {
  const inside = (folder ?? '').replace(/[/\\]+$/u, '');
  if (inside === '') return undefined;
  const [start, wanted] = [path.slice(0, inside.length), inside].map(isOfWindows(inside) ? comparable : (same) => same);
  if (start !== wanted) return undefined;
  const rest = path.slice(inside.length);
  return rest === '' || /^[/\\]/u.test(rest) ? rest.replace(/^[/\\]+/u, '') : undefined;
}

/** Windows takes capital and small letters as the same, and both slashes. */
function comparable(path: string): string {
  return path.toLowerCase().replaceAll('\\', '/');
}

function isOfWindows(path: string): boolean {
  return /^[A-Za-z]:[\\/]/u.test(path);
}

function separatorOf(path: string): string {
  return isOfWindows(path) && path.includes('\\') ? '\\' : '/';
}
