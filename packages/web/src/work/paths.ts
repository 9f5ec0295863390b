/** The last part of a path: `tides` of `/home/user/code/tides`. */
export function folderName(path: string): string {
  return /([^/\\]+)[/\\]*$/u.exec(path)?.[1] ?? path;
}

/** A path for people: below the home folder it begins with `~`. */
export function shortPath(path: string, home: string | undefined): string {
  if (home === undefined || home === '' || home === '/') return path;
  if (path === home) return '~';
  return path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

/** The path of a file for people: relative inside of the folder, else from the home folder; any other stays whole. */
export function pathWords(path: string, folder: string | undefined, home: string | undefined): string {
  const inside = folder === undefined ? '/' : `${folder.replace(/\/+$/u, '')}/`;
  return inside !== '/' && path.startsWith(inside) ? path.slice(inside.length) : shortPath(path, home);
}

/** A working folder for people: from the home folder, or its name if it lies elsewhere. */
export function folderWords(folder: string, home: string | undefined): string {
  const short = shortPath(folder, home);
  return short.startsWith('~') ? short : folderName(folder);
}

/** A path as the server takes it, of what a person typed. */
export function fullPath(typed: string, home: string | undefined): string {
  if (home === undefined || !/^~(?:\/|$)/u.test(typed)) return typed;
  return `${home}${typed.slice(1)}`;
}

/** Splits a path into its folder, with the slash, and its name. */
export function splitPath(path: string): { folder: string; name: string } {
  const at = path.lastIndexOf('/') + 1;
  return { folder: path.slice(0, at), name: path.slice(at) };
}
