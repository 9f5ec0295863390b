import { statSync } from 'node:fs';

/**
 * Returns the files that a text names as `@path` or `@"path with blanks"`. A name without a file, such as `@types/node`, counts as words
 * unless it can be nothing else than a path.
 */
export function findMentions(text: string, isThere: (path: string) => boolean): string[] {
  const found = [...text.matchAll(/(?<=^|\s)@(?:"([^"\n]+)"|(\S+))/g)].flatMap(([, quoted, plain = '']) => {
    if (quoted !== undefined) return [quoted];
    // A sentence may end with a path.
    const spellings = [plain, plain.replace(/[.,;:!?)\]}'"]+$/, '')].filter((path) => path !== '');
    const path = spellings.find(isThere);
    return path ?? (/^(?:\.{0,2}\/|~\/)./.test(plain) ? (spellings.at(-1) ?? []) : []);
  });
  return [...new Set(found)];
}

/** Returns true if a file that can be attached is at a place; looking is cheap enough to be done at once. */
export function isFileAt(place: string): boolean {
  return statSync(place, { throwIfNoEntry: false })?.isFile() === true;
}
