import type { BigIntStats } from 'node:fs';
import { isSameFile } from './held-folder.ts';

/** The two things that have to be known about a folder to find out how a name in it is really spelled. */
export interface NamesOfFolder {
  /** Looks at a name without following links; `undefined` if it does not exist. */
  look(name: string): Promise<BigIntStats | undefined>;
  list(): Promise<readonly string[]>;
}

/**
 * Returns a name as the folder spells it. File systems that ignore case, or the form of accents, find `.ENV` when it is called
 * `.env`; rules about paths must see the one true spelling.
 */
export async function trueName(folder: NamesOfFolder, name: string, found: BigIntStats): Promise<string> {
  for (const other of otherSpellings(name)) {
    const seen = await folder.look(other);
    if (seen === undefined || !isSameFile(seen, found)) continue;
    const names = await folder.list();
    if (names.includes(name)) return name;
    return names.find((listed) => foldName(listed) === foldName(name)) ?? name;
  }
  return name;
}

/** Returns a name so that two spellings that a file system may take for one are equal. */
export function foldName(name: string): string {
  return name.normalize('NFC').toLowerCase();
}

function otherSpellings(name: string): string[] {
  const upper = name.toUpperCase();
  const spellings = [upper === name ? name.toLowerCase() : upper, name.normalize('NFD'), name.normalize('NFC')];
  return [...new Set(spellings)].filter((spelling) => spelling !== name);
}
