import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join } from 'node:path';

/**
 * Returns a search path for the programs that Loom itself runs, without the places that a model can write to: folders below that of the
 * conversation, relative ones, which mean the same, and `node_modules/.bin`, which `npx` and `npm run` put in front. A program of such a place
 * would run outside of the sandbox.
 */
export function searchPathOutside(path: string, directory: string): string {
  const below = realOf(directory);
  const kept = path.split(delimiter).filter((place) => {
    if (!isAbsolute(place) || /\/node_modules\/\.bin\/?$/u.test(place)) return false;
    const real = realOf(place);
    // If the folder is everything, there is no outside.
    return below === '/' || (real !== below && !real.startsWith(`${below}/`));
  });
  return (kept.length > 0 ? kept : usual).join(delimiter);
}

const usual = ['/usr/local/bin', '/usr/bin', '/bin'];

/** Returns the place of a program; its name alone if it is nowhere on the search path. */
export function placeOfProgram(name: string, path: string): string {
  return (
    path
      .split(delimiter)
      .map((place) => join(place, name))
      .find(isProgram) ?? name
  );
}

function isProgram(place: string): boolean {
  try {
    accessSync(place, constants.X_OK);
    return statSync(place).isFile();
  } catch {
    return false;
  }
}

function realOf(place: string): string {
  try {
    return realpathSync(place);
  } catch {
    return place;
  }
}
