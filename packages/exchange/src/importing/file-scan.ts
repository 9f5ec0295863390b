import type { Dirent } from 'node:fs';
import { lstat, open, readdir, stat } from 'node:fs/promises';
import { join, sep } from 'node:path';
import type { FoundFile } from './format.ts';

/** The deepest folders that are searched: a cycle of mounts has to end. */
const deepest = 16;

/** Folders that never hold histories, and may be huge. */
const passedOver = new Set(['node_modules', '.git']);

/** The number of bytes that suffice to recognize a file. */
const sampleSize = 64 * 1024;

/** The file names that may hold a history, by ending. Any other file in a folder is ignored. */
const endings = ['.jsonl', '.json', '.zip', '.jsonl.zst', '.db'];

/**
 * Returns the files below a folder that may hold histories, or the file itself. Those nearer to the top come first, and then by name: sessions before
 * their sub-agents, older ones before newer ones. Links are not followed, except the one that is named. Unreadable folders are reported.
 */
export async function scanFiles(
  path: string,
  unread: (folder: string, error: Error) => void = () => {},
): Promise<FoundFile[]> {
  const found: FoundFile[] = [];
  const status = await stat(path);
  if (!status.isDirectory()) {
    if (!status.isFile()) throw new NoFileError();
    return [{ path, bytes: status.size, modified: status.mtimeMs }];
  }
  await scanFolder(path, deepest, { found, unread });
  return found.sort((a, b) => depthOf(a.path) - depthOf(b.path) || Number(a.path > b.path) - Number(a.path < b.path));
}

/** Refuses a pipe, a device or the like: it may have no end, or never begin. */
class NoFileError extends Error {
  readonly code = 'no-file';

  constructor() {
    super('neither a file nor a folder; left alone');
  }
}

/** Returns the sentence for people about an unreadable file or folder, with the remedy. */
export function fileProblem(error: Error): string {
  const code = 'code' in error ? String(error.code) : undefined;
  if (code === undefined) return `it cannot be read on (${error.message}); what was read before is kept`;
  if (code === 'EACCES' || code === 'EPERM') return 'Loom may not read it. Allow it to, and import it again.';
  if (code === 'ENOENT') return 'it is not there any more';
  if (code.startsWith('ZSTD_')) return `it is damaged and cannot be unpacked (${error.message})`;
  return error.message;
}

/** Returns a file in its present state; `undefined` if it does not exist, or is a pipe or a device. */
export async function findFile(path: string): Promise<FoundFile | undefined> {
  try {
    const status = await stat(path);
    return status.isFile() ? { path, bytes: status.size, modified: status.mtimeMs } : undefined;
  } catch {
    return undefined;
  }
}

interface Scan {
  readonly found: FoundFile[];
  readonly unread: (folder: string, error: Error) => void;
}

async function scanFolder(folder: string, depth: number, scan: Scan): Promise<void> {
  if (depth === 0) return;
  const entries = await entriesOf(folder, scan.unread);
  // A data folder of Loom is one history, whatever else is in it.
  const list = entries.find(({ name }) => name === 'roots.json');
  for (const entry of list === undefined ? entries : [list]) {
    const path = join(folder, entry.name);
    if (entry.isDirectory() && !passedOver.has(entry.name)) await scanFolder(path, depth - 1, scan);
    if (!entry.isFile() || !endings.some((ending) => entry.name.endsWith(ending))) continue;
    // A file may vanish while the folder is read.
    const status = await lstat(path).catch(() => undefined);
    if (status !== undefined) scan.found.push({ path, bytes: status.size, modified: status.mtimeMs });
  }
}

/** Returns the entries of a folder. An unreadable folder counts as empty, once it is reported. */
async function entriesOf(folder: string, unread: Scan['unread']): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (error instanceof Error) unread(folder, error);
    return [];
  }
}

function depthOf(path: string): number {
  return path.split(sep).length;
}

/** Returns the beginning of a file. Bytes that are not text are replaced. */
export async function beginningOf(path: string): Promise<string> {
  const file = await open(path);
  try {
    const buffer = new Uint8Array(sampleSize);
    const { bytesRead } = await file.read(buffer, 0, sampleSize, 0);
    return new TextDecoder().decode(buffer.subarray(0, bytesRead));
  } finally {
    await file.close();
  }
}
