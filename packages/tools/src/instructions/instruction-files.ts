import { constants } from 'node:fs';
import { open, realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { isRepositoryTop } from '../folder/repository-top.ts';

/** A file of instructions for agents, as far as it is shown to models. */
export interface InstructionFile {
  path: string;
  text: string;
  /** The size of the whole file. */
  bytes: number;
  /** True if only its beginning is shown. */
  isCut: boolean;
}

/** The names of such files, in the order of preference: only the first that is in a folder is shown. */
const names = ['AGENTS.md', 'CLAUDE.md'];

/** The bytes of all files together that models are shown. */
export const mostBytes = 32 * 1024;

/**
 * Finds the instructions for a folder: its own, and those of the folders above it up to the top of its repository, the outermost first.
 * A file that is a link out of the repository is left out: a foreign repository must not choose what is read from this machine.
 */
export async function findInstructions(directory: string): Promise<InstructionFile[]> {
  const folder = await realpath(directory);
  const folders = foldersUpToTop(folder);
  const top = folders[0] ?? folder;
  const files: InstructionFile[] = [];
  let room = mostBytes;
  // The nearest instructions matter most, so that they get room first.
  for (const each of folders.toReversed()) {
    const file = await readFirst(each, top, room);
    if (file === undefined) continue;
    room -= Buffer.byteLength(file.text);
    files.unshift(file);
  }
  return files;
}

/** The folders from the top of the repository down to this one; this one alone outside of a repository. */
function foldersUpToTop(folder: string): string[] {
  const folders: string[] = [];
  for (let each = folder; ; each = dirname(each)) {
    folders.unshift(each);
    if (isRepositoryTop(each)) return folders;
    if (dirname(each) === each) return [folder];
  }
}

async function readFirst(folder: string, top: string, room: number): Promise<InstructionFile | undefined> {
  for (const name of names) {
    const path = join(folder, name);
    const file = await readBeginning(path, top, room).catch(() => undefined);
    if (file !== undefined) return { path, ...file };
  }
  return undefined;
}

async function readBeginning(
  path: string,
  top: string,
  room: number,
): Promise<Omit<InstructionFile, 'path'> | undefined> {
  const real = await realpath(path);
  if (!real.startsWith(top.endsWith(sep) ? top : `${top}${sep}`)) return undefined;
  // A pipe of that name would never be read to its end.
  const file = await open(real, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const stats = await file.stat();
    if (!stats.isFile()) return undefined;
    const bytes = Buffer.alloc(Math.min(stats.size, room));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    const isCut = stats.size > bytesRead;
    // A character that was cut in two is dropped with its first half.
    const text = new TextDecoder('utf-8').decode(bytes.subarray(0, bytesRead), { stream: true });
    return { text, bytes: stats.size, isCut };
  } finally {
    await file.close();
  }
}
