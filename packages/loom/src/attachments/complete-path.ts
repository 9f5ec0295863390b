import { readdirSync } from 'node:fs';
import { dirname } from 'node:path';
import { placeOf, type PathScope } from './attachment.ts';

/** Completes the `@path` at the end of a line; folders end with a slash. */
export function completePath(
  line: string,
  { directory, folder: own, env }: PathScope,
): { word: string; candidates: string[] } | undefined {
  const [, word] = /(?:^|\s)@(\S*)$/.exec(line) ?? [];
  if (word === undefined) return undefined;
  const folder = word.endsWith('/') || word === '' ? word : dirname(`${word}x`);
  const shown =
    folder === '.' && !word.startsWith('.') ? '' : folder === '' || folder.endsWith('/') ? folder : `${folder}/`;
  const start = word.slice(shown.length);
  // Files of the conversation's folder are named as well as those of the folder that the person is in.
  const bases = [...new Set([directory, own ?? directory])];
  const names = bases.flatMap((base) => listFolder(placeOf(folder === '' ? '.' : folder, { directory: base, env })));
  const candidates = names
    // Hidden files are for those who ask for them; a path with a blank would end at it.
    .filter(({ name }) => name.startsWith(start) && (start !== '' || !name.startsWith('.')) && !/\s/.test(name))
    .map(({ name, isFolder }) => `@${shown}${name}${isFolder ? '/' : ' '}`);
  return { word: `@${word}`, candidates: [...new Set(candidates)] };
}

function listFolder(place: string): { name: string; isFolder: boolean }[] {
  try {
    return readdirSync(place, { withFileTypes: true })
      .map((entry) => ({ name: entry.name, isFolder: entry.isDirectory() }))
      .sort((left, right) => (left.name < right.name ? -1 : 1));
  } catch {
    return [];
  }
}
