import { realpath } from 'node:fs/promises';
import { scanTree } from '../folder/tree-scan.ts';

/** Finds the files of a folder whose paths have the letters of `match` in their order, the best ones first. */
export async function findFiles(directory: string, match: string, limit: number): Promise<string[]> {
  const path = await realpath(directory).catch(() => undefined);
  if (path === undefined) return [];
  const { files } = await scanTree(path, mostFiles);
  const wanted = match.toLowerCase().replaceAll(/\s+/gu, '');
  const ranked: { path: string; rank: number }[] = [];
  for (const file of files.keys()) {
    const rank = rankOf(file.toLowerCase(), wanted);
    if (rank !== undefined) ranked.push({ path: file, rank });
  }
  ranked.sort(
    (left, right) =>
      left.rank - right.rank || left.path.length - right.path.length || (left.path < right.path ? -1 : 1),
  );
  return ranked.slice(0, limit).map((one) => one.path);
}

/** Ranks a path, the best as 0: by its name, then by a part of it, then by letters in their order. `undefined` if it does not match. */
function rankOf(path: string, wanted: string): number | undefined {
  if (wanted === '') return path.split('/').length;
  const name = path.slice(path.lastIndexOf('/') + 1);
  if (name === wanted || path === wanted) return 0;
  if (name.startsWith(wanted)) return 1;
  if (name.includes(wanted)) return 2;
  if (path.includes(wanted)) return 3;
  if (isSubsequence(wanted, name)) return 4;
  return isSubsequence(wanted, path) ? 5 : undefined;
}

function isSubsequence(wanted: string, text: string): boolean {
  let at = 0;
  for (const letter of wanted) {
    const found = text.indexOf(letter, at);
    if (found === -1) return false;
    at = found + letter.length;
  }
  return true;
}

const mostFiles = 50_000;
