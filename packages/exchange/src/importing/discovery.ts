import type { Forest } from '@loom/kernel/logs';
import type { EmptyFiles } from './empty-files.ts';
import { scanFiles } from './file-scan.ts';
import type { FoundFile } from './format.ts';
import { knownSources } from './known-sources.ts';
import type { Home, KnownSource } from './known-sources.ts';
import { Origins } from './origins.ts';

/** The history of a program on this machine. */
export interface DiscoveredSource {
  source: string;
  name: string;
  /** The folders it was found in. */
  folders: string[];
  sessions: number;
  bytes: number;
  /** The number of sessions that are in Loom in their present state, or hold nothing to import. */
  imported: number;
  /** The time of the last write, as ISO 8601. */
  newest?: string;
}

/** Looks for the histories of known programs. Reads names and sizes, and nothing else. */
export async function discover(home: Home, forest: Forest, empty?: EmptyFiles): Promise<DiscoveredSource[]> {
  const origins = await new Origins(empty).refresh(forest);
  const found: DiscoveredSource[] = [];
  for (const known of knownSources) {
    const folders: string[] = [];
    const files: FoundFile[] = [];
    for (const { folder } of foldersOf(home, [known.source])) {
      const own = await filesIn(known, folder);
      if (own.length > 0) folders.push(folder);
      files.push(...own);
    }
    if (files.length > 0) found.push(summarize(known, folders, files, origins));
  }
  return found;
}

/** Returns the history folders of some programs; of all known ones by default. */
export function foldersOf(home: Home, sources?: readonly string[]): { known: KnownSource; folder: string }[] {
  if (home.home === '') return [];
  return knownSources
    .filter(({ source }) => sources === undefined || sources.includes(source))
    .flatMap((known) => known.folders(home).map((folder) => ({ known, folder })));
}

/** Returns the files of a program's history in one of its folders; none if the folder does not exist. Unreadable folders are reported. */
export async function filesIn(
  known: KnownSource,
  folder: string,
  unread?: (folder: string, error: Error) => void,
): Promise<FoundFile[]> {
  try {
    return (await scanFiles(folder, unread)).filter(({ path }) => known.classify(path) !== 'other');
  } catch (error) {
    const isThere =
      error instanceof Error && !('code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'));
    if (isThere) unread?.(folder, error);
    return [];
  }
}

function summarize(known: KnownSource, folders: string[], files: FoundFile[], origins: Origins): DiscoveredSource {
  const sessions = files.filter(({ path }) => known.classify(path) === 'session');
  const newest = files.reduce((latest, { modified }) => Math.max(latest, modified), 0);
  return {
    source: known.source,
    name: known.name,
    folders,
    sessions: sessions.length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
    imported: sessions.filter((file) => origins.isTaken(file)).length,
    newest: new Date(newest).toISOString(),
  };
}
