import { pathWords } from '@loom/blocks';

/** The last part of a path: `tides` of `/home/user/code/tides`. The folder that Loom has made for one conversation has no name of its own. */
export function folderName(path: string): string {
  if (/[/\\]loom[/\\]scratch[/\\]root-[^/\\]+$/u.test(path)) return 'scratch folder';
  return /([^/\\]+)[/\\]*$/u.exec(path)?.[1] ?? path;
}

/** A working folder for people: from the home folder, or its name if it lies elsewhere. */
export function folderWords(folder: string, home: string | undefined): string {
  const short = pathWords(folder, { home });
  return short.startsWith('~') ? short : folderName(folder);
}

/** A path as the server takes it, of what a person typed. */
export function fullPath(typed: string, home: string | undefined): string {
  if (home === undefined || !/^~(?:\/|$)/u.test(typed)) return typed;
  return `${home}${typed.slice(1)}`;
}
