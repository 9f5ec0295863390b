import { createHash } from 'node:crypto';
import { constants } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { bestReach, HeldFolder, isSameFile } from './held-folder.ts';
import type { Reach } from './held-folder.ts';
import { outside, relativeTo, splitPath } from './named-path.ts';
import { asPathError, PathError, systemCode } from './path-error.ts';
import { trueName } from './true-name.ts';

/** The place of a path in a folder, held until it is closed: no link and no other program can lead away from it. */
export interface Place extends AsyncDisposable {
  /** The path below the folder, with links resolved and names as they are spelled; '' is the folder itself. */
  path: string;
  /** The nearest folder above the path that exists. */
  parent: HeldFolder;
  /** The names below `parent`: one, unless folders are missing; none for the folder itself. */
  names: readonly string[];
  /** The file or folder there; absent if there is none. */
  found?: BigIntStats;
}

/** A file as it was read. */
export interface ReadFile {
  path: string;
  bytes: Buffer;
  hash: string;
  /** The permission bits. */
  mode: number;
}

/** A file that changes, as the folder found it: its content, its mode, and all that tells whether it is touched again. */
export interface FileState extends ReadFile {
  stats: BigIntStats;
}

/** An entry of a folder. Links are listed as such and not followed. */
export interface FolderEntry {
  name: string;
  kind: 'file' | 'folder' | 'link' | 'other';
}

/**
 * A folder that no path leads out of. Every path is walked name by name from the folder itself, each folder on the way is held open,
 * and links are resolved here instead of by the system: so a link, or another program that swaps one in, cannot lead outside.
 */
export class ConfinedFolder {
  /** The real path of the folder. */
  readonly path: string;
  readonly #spellings: readonly string[];
  readonly #reach: Reach;

  private constructor(path: string, spellings: readonly string[], reach: Reach) {
    this.path = path;
    this.#spellings = spellings;
    this.#reach = reach;
  }

  /** Opens the folder of a conversation. */
  static async open(directory: string, reach: Reach = bestReach): Promise<ConfinedFolder> {
    try {
      const path = await realpath(directory);
      if (!(await stat(path)).isDirectory()) {
        throw new PathError(
          'not-a-folder',
          directory,
          `${directory} is not a folder. Choose a folder for this conversation.`,
        );
      }
      return new ConfinedFolder(path, [path, directory], reach);
    } catch (error) {
      throw asPathError(error, directory);
    }
  }

  /** Finds the place of a path. What is there may be missing, a file, or a folder; links that lead out of the folder are refused. */
  async locate(path: string): Promise<Place> {
    let prefix: string[] = [];
    let pending = splitPath(path, this.#spellings);
    let parent = await this.#top(path);
    try {
      for (let links = 0; ;) {
        const [name, ...rest] = pending;
        if (name === undefined) return placeAt(prefix, parent, []);
        // Only the target of a link can have it here.
        if (name === '..') {
          if (prefix.length === 0) throw outside(path);
          pending = [...prefix.slice(0, -1), ...rest];
          [prefix, parent] = [[], await this.#again(parent, path)];
          continue;
        }
        const found = await look(parent, name);
        if (found === undefined) return placeAt([...prefix, ...pending], parent, withoutDots(path, pending));
        if (found.isSymbolicLink()) {
          links += 1;
          if (links > mostLinks) throw new PathError('outside', path, `${path} leads through too many links.`);
          const target = await readlink(parent.at(name));
          const below = relativeTo(target, this.#spellings);
          if (below === undefined) throw outside(path);
          const parts = below.split('/').filter((part) => part !== '' && part !== '.');
          pending = [...(target.startsWith('/') ? [] : prefix), ...parts, ...rest];
          [prefix, parent] = [[], await this.#again(parent, path)];
          continue;
        }
        const spelled = await trueName(namesOf(parent), name, found);
        if (rest.length === 0) return placeAt([...prefix, spelled], parent, [spelled], found);
        if (!found.isDirectory()) {
          throw new PathError('not-a-folder', path, `${[...prefix, spelled].join('/')} is not a folder.`);
        }
        const entered = await parent.enter(spelled);
        await parent.close();
        parent = entered;
        prefix.push(spelled);
        pending = rest;
      }
    } catch (error) {
      await parent.close();
      throw asPathError(error, path);
    }
  }

  /** Reads a file of at most `limit` bytes. Devices, pipes and sockets are not opened. */
  async read(path: string, limit: number): Promise<FileState> {
    await using place = await this.locate(path);
    return await readPlace(place, path, limit);
  }

  /** Lists the entries of a folder, in the order of their names. */
  async list(path: string): Promise<{ path: string; entries: FolderEntry[] }> {
    await using place = await this.locate(path);
    try {
      return { path: place.path, entries: await listPlace(place, path) };
    } catch (error) {
      throw asPathError(error, path);
    }
  }

  async #top(path: string): Promise<HeldFolder> {
    try {
      return await HeldFolder.open(this.path, this.#reach);
    } catch (error) {
      throw asPathError(error, path);
    }
  }

  /** Goes back to the top; the handle that was held is closed. */
  async #again(parent: HeldFolder, path: string): Promise<HeldFolder> {
    const top = await this.#top(path);
    await parent.close();
    return top;
  }
}

/** Reads the file at a place. */
export async function readPlace(
  { path, parent, names, found }: Place,
  asked: string,
  limit: number,
): Promise<FileState> {
  const [name] = names;
  if (name === undefined || found?.isDirectory() === true) {
    throw new PathError('not-a-file', asked, `${asked} is a folder. List it instead.`);
  }
  if (found === undefined) throw new PathError('not-found', asked, `${asked} does not exist.`);
  if (!found.isFile()) throw new PathError('not-a-file', asked, `${asked} is a ${kindOf(found)}, not a regular file.`);
  try {
    // A pipe that takes the place of the file now is not waited for.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
    await using file = await open(parent.at(name), flags);
    const stats = await file.stat({ bigint: true });
    await parent.confirm();
    if (!stats.isFile() || !isSameFile(stats, found)) {
      throw new PathError('changed', asked, `${asked} was replaced while it was being opened. Try again.`);
    }
    if (stats.size > BigInt(limit)) {
      const size = describeSize(Number(stats.size));
      throw new PathError('too-large', asked, `${asked} has ${size}; at most ${describeSize(limit)} can be used here.`);
    }
    const bytes = await file.readFile();
    return { path, bytes, hash: hashOf(bytes), mode: Number(stats.mode & 0o7777n), stats };
  } catch (error) {
    throw asPathError(error, asked);
  }
}

async function listPlace({ parent, names, found }: Place, asked: string): Promise<FolderEntry[]> {
  const [name] = names;
  if (name !== undefined && found === undefined) throw new PathError('not-found', asked, `${asked} does not exist.`);
  if (name !== undefined && found?.isDirectory() !== true) {
    throw new PathError('not-a-folder', asked, `${asked} is not a folder. Read it instead.`);
  }
  const folder = name === undefined ? parent : await parent.enter(name);
  try {
    return await listHeld(folder);
  } finally {
    if (folder !== parent) await folder.close();
  }
}

/** Lists a held folder. */
export async function listHeld(folder: HeldFolder): Promise<FolderEntry[]> {
  const entries = await readdir(folder.here, { withFileTypes: true });
  await folder.confirm();
  const listed = entries.map((entry): FolderEntry => {
    const kind = entry.isFile() ? 'file' : entry.isDirectory() ? 'folder' : entry.isSymbolicLink() ? 'link' : 'other';
    return { name: entry.name, kind };
  });
  return listed.sort((left, right) => (left.name < right.name ? -1 : 1));
}

/** Returns the hash by which contents are compared. */
export function hashOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Returns a size in words. */
export function describeSize(bytes: number): string {
  if (bytes >= 1024 * 1024) return `${Number((bytes / 1024 / 1024).toFixed(1))} MB`;
  return bytes >= 1024 ? `${Math.round(bytes / 1024)} kB` : `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`;
}

/** Looks at a name in a held folder without following a link. */
export async function look(folder: HeldFolder, name: string): Promise<BigIntStats | undefined> {
  try {
    const found = await lstat(folder.at(name), { bigint: true });
    await folder.confirm();
    return found;
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

function namesOf(folder: HeldFolder) {
  return { look: (name: string) => look(folder, name), list: () => readdir(folder.here) };
}

function placeAt(path: readonly string[], parent: HeldFolder, names: readonly string[], found?: BigIntStats): Place {
  const close = { [Symbol.asyncDispose]: () => parent.close() };
  return { path: path.join('/'), parent, names, ...(found === undefined ? {} : { found }), ...close };
}

function withoutDots(path: string, names: readonly string[]): readonly string[] {
  if (names.includes('..')) throw new PathError('not-found', path, `${path} does not exist.`);
  return names;
}

function kindOf(stats: BigIntStats): string {
  if (stats.isFIFO()) return 'pipe';
  if (stats.isSocket()) return 'socket';
  return stats.isSymbolicLink() ? 'link' : 'device';
}

const mostLinks = 40;
