import { lstatSync } from 'node:fs';
import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { failedWith } from '@loom/stores/disk';
import { compareNames } from '../node-order.ts';
import { describeProblem, NodeFileError } from '../problem.ts';
import type { NodeFileProblem } from '../problem.ts';
import { rootsFileName } from '../file-names.ts';
import { sumOfFile } from './json-file.ts';
import { readRootJson } from './read-root-json.ts';
import type { RootJsonReading } from './read-root-json.ts';
import { readRootsJson } from './read-roots-json.ts';
import type { RootEntry } from './read-roots-json.ts';

/** A found root, before any of its nodes is read. */
export interface FoundRoot {
  entry: RootEntry;
  /** The content of its folder; absent if it has none. */
  own?: RootJsonReading;
  /** The list of roots that names it. */
  listFile?: string;
}

/** The roots of a directory: the listed ones, in their order, and folders that are not listed. */
export interface FoundRoots {
  listed: FoundRoot[];
  unlisted: FoundRoot[];
  problems: NodeFileProblem[];
}

/**
 * Finds the roots of a directory without reading their nodes. Throws a `NodeFileError` if the directory itself cannot be read. Roots that are not
 * wanted are not examined, and a list with a known checksum names none that is.
 */
export async function findRoots(
  directory: string,
  {
    isWanted = () => true,
    knownLists = [],
  }: { isWanted?: (root: string) => boolean; knownLists?: readonly string[] } = {},
): Promise<FoundRoots> {
  const problems: NodeFileProblem[] = [];
  const folders = await findFolders(directory, isWanted, problems);
  if (folders.length === 0 && isKnownList(directory, knownLists)) return { listed: [], unlisted: [], problems };
  const list = readRootsJson(directory);
  const own = new Map(folders.map((id) => [id, readRootJson(directory, id)]));
  for (const reading of own.values()) problems.push(...reading.problems);
  const isNeeded = [...own.values()].some((reading) => reading.found === undefined && !isRefused(reading));
  // The list is needed only for folders that do not describe themselves.
  if (list.status !== 'missing' || isNeeded) for (const problem of list.problems) problems.push(problem);

  const listed: FoundRoot[] = [];
  for (const entry of list.entries.filter(({ id }) => isWanted(id))) {
    const reading = own.get(entry.id);
    if (isRefused(reading)) continue;
    const found: FoundRoot = { entry: reading?.found?.entry ?? entry, listFile: list.file };
    listed.push(reading === undefined ? found : { ...found, own: reading });
    if (reading !== undefined || entry.childIds.length === 0) continue;
    const message = `lists ${entry.id}, which has no folder of nodes here; look for it in a backup`;
    problems.push(describeProblem('root-folder-missing', list.file, message));
  }
  const names = new Set(list.entries.map(({ id }) => id));
  const unlisted: FoundRoot[] = [];
  for (const [id, reading] of own) {
    if (names.has(id) || isRefused(reading)) continue;
    const entry = reading.found?.entry ?? { id, config: {}, childIds: [], deleted: false, extra: {} };
    unlisted.push({ entry, own: reading });
    if (list.status !== 'read' || reading.found !== undefined) continue;
    const message = 'is not in roots.json; it is shown behind those that are, without a prompt of its own';
    problems.push(describeProblem('root-not-listed', join(directory, id), message));
  }
  return { listed, unlisted, problems };
}

function isKnownList(directory: string, sums: readonly string[]): boolean {
  const sum = sums.length === 0 ? undefined : sumOfFile(join(directory, rootsFileName));
  return sum !== undefined && sums.includes(sum);
}

/** Returns true if a directory has a folder of an unknown root. */
export async function hasUnknownRoots(directory: string, known: ReadonlySet<string>): Promise<boolean> {
  return (await findFolders(directory, (name) => !known.has(name), [])).length > 0;
}

/** Returns the files in a root's folder of nodes that may hold one, and the highest number in any name there. */
export async function listNodeFiles(
  folder: string,
  problems: NodeFileProblem[],
): Promise<{ files: string[]; highestNumber: number }> {
  const files: string[] = [];
  let highestNumber = 0;
  for (const entry of await listFolder(folder, problems)) {
    highestNumber = Math.max(highestNumber, Number(/^node-(\d{1,15})(?!\d)/u.exec(entry.name)?.[1] ?? 0));
    if (mayHoldNode(entry)) files.push(entry.name);
    else if (entry.isSymbolicLink()) problems.push(describeLink(join(folder, entry.name)));
    else problems.push(describeIgnored(join(folder, entry.name)));
  }
  return { files: files.toSorted(compareNames), highestNumber };
}

/** The same files, if only a few among many are new; nothing else in the folder counts. */
export async function listNewNodeFiles(folder: string, isKnown: (name: string) => boolean): Promise<string[]> {
  let names: string[];
  try {
    names = await readdir(folder);
  } catch {
    return [];
  }
  // Only the few new names are checked for being files: with many, this takes longer than the list.
  const found = names.filter((name) => !isKnown(name) && mayNameNode(name) && isRealFile(join(folder, name)));
  return found.toSorted(compareNames);
}

function mayHoldNode(entry: Dirent): boolean {
  return entry.isFile() && mayNameNode(entry.name);
}

function mayNameNode(name: string): boolean {
  return /.\.json$/u.test(name) && !isLeftover(name);
}

/** Returns true if a file is there; one that cannot even be examined counts, and its reader reports the reason. */
function isRealFile(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return true;
  }
}

/** Returns real folders with a real folder `nodes` or a root's own file in them, in the order of their names. */
async function findFolders(
  directory: string,
  isWanted: (root: string) => boolean,
  problems: NodeFileProblem[],
): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(directory, { withFileTypes: true });
  } catch (error) {
    const isFile = error instanceof Error && 'code' in error && error.code === 'ENOTDIR';
    const reason = error instanceof Error ? error.message : String(error);
    const what = isFile ? 'is a file, not a folder' : `cannot be read (${reason})`;
    throw new NodeFileError(
      describeProblem('directory-unreadable', directory, `${what}; name the folder with your data`),
    );
  }
  const folders: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink()) problems.push(describeLink(path));
    else if (entry.isFile() && isLeftover(entry.name)) problems.push(describeIgnored(path));
    else if (entry.isDirectory() && isWanted(entry.name) && (await holdsNodes(path, problems)))
      folders.push(entry.name);
  }
  return folders.toSorted(compareNames);
}

async function holdsNodes(folder: string, problems: NodeFileProblem[]): Promise<boolean> {
  const entries = await listFolder(folder, problems);
  const nodes = entries.find(({ name }) => name === 'nodes');
  if (nodes?.isSymbolicLink() === true) problems.push(describeLink(join(folder, 'nodes')));
  return nodes?.isDirectory() === true || entries.some((entry) => entry.name === 'root.json' && entry.isFile());
}

async function listFolder(folder: string, problems: NodeFileProblem[]): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    // A root without messages may have no folder of nodes.
    if (failedWith(error, 'ENOENT')) return [];
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(describeProblem('folder-unreadable', folder, `cannot be read (${reason}); check its permissions`));
    return [];
  }
}

function isRefused(reading: RootJsonReading | undefined): boolean {
  return reading?.problems.some(({ code }) => code === 'root-format-newer') === true;
}

/** Returns true for the names of files that migrations, editors and interrupted writes leave behind. */
function isLeftover(name: string): boolean {
  return /\.backup-|\.tmp(?:$|[.-])/u.test(name);
}

function describeIgnored(path: string): NodeFileProblem {
  return describeProblem(
    'file-ignored',
    path,
    'is not a node file (a backup, a temporary file, or foreign); left alone',
  );
}

function describeLink(path: string): NodeFileProblem {
  return describeProblem('link-ignored', path, 'is a link; links are not followed, so copy what it points to here');
}
