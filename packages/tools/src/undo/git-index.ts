import { lstatSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { isRepositoryTop } from '../folder/repository-top.ts';
import { runProgram, safeGit } from '../folder/run-program.ts';
import type { ProgramScope } from '../folder/run-program.ts';
import type { FileLook } from '../folder/tree-scan.ts';

/** The files of a folder that a repository has as they are. */
export interface GitIndex {
  /** Returns true if git has the content of a file that looks like this. */
  isClean(path: string, look: FileLook): boolean;
  /** Returns the contents that clean files had. */
  contents(paths: readonly string[]): Promise<Map<string, Buffer>>;
}

const none: GitIndex = { isClean: () => false, contents: () => Promise.resolve(new Map()) };

/**
 * Reads the index of the repository that a folder is in. The looks at files in it tell which are clean: git itself is never asked to look at
 * a file, because the repository's own settings could make it run a program then.
 */
export async function readGitIndex(directory: string, scope: ProgramScope): Promise<GitIndex> {
  if (scope.processes === undefined || !isInRepository(directory)) return none;
  const git = (args: readonly string[], input?: string) =>
    runProgram([...safeGit, ...args], directory, input === undefined ? scope : { ...scope, input });
  const place = await git(['rev-parse', '--git-path', 'index']);
  const listed = await git(['ls-files', '--stage', '--debug', '-z']);
  if (place?.code !== 0 || listed?.code !== 0) return none;
  const index = lstatSync(resolve(directory, place.output.toString('utf8').trimEnd()), {
    bigint: true,
    throwIfNoEntry: false,
  });
  if (index === undefined) return none;
  const entries = readEntries(listed.output.toString('utf8'));
  return {
    isClean(path, look) {
      const entry = entries.get(path);
      // A file that was written in the same moment as the index may have changed right after it.
      return (
        entry !== undefined &&
        entry.modified === look.modified &&
        entry.size === look.size &&
        look.modified < index.mtimeNs
      );
    },
    async contents(paths) {
      const wanted = paths.flatMap((path) => entries.get(path)?.id ?? []);
      if (wanted.length === 0) return new Map();
      const shown = await git(['cat-file', '--batch'], `${wanted.join('\n')}\n`);
      const objects = readObjects(shown?.output ?? Buffer.alloc(0));
      return new Map(
        paths.flatMap((path) => {
          const bytes = objects.get(entries.get(path)?.id ?? '');
          return bytes === undefined ? [] : [[path, bytes] as const];
        }),
      );
    },
  };
}

interface IndexEntry {
  id: string;
  size: number;
  modified: bigint;
}

/** Reads a listing of the index. What cannot be read is left out, and thereby not clean. */
function readEntries(text: string): Map<string, IndexEntry> {
  const entries = new Map<string, IndexEntry>();
  for (const [, id = '', path = '', seconds = '0', nanoseconds = '0', size = ''] of text.matchAll(indexEntry)) {
    entries.set(path, { id, size: Number(size), modified: BigInt(seconds) * 1_000_000_000n + BigInt(nanoseconds) });
  }
  return entries;
}

// Regular files without a conflict: links and submodules have no content of their own.
const indexEntry =
  /100(?:644|755) ([0-9a-f]{40,64}) 0\t([^\0]+)\0 {2}ctime: \d+:\d+\n {2}mtime: (\d+):(\d+)\n[^\0]*? {2}size: (\d+)\t/gu;

/** Reads the answer of `cat-file --batch`: a line with the id, the type and the size before every content. */
function readObjects(output: Buffer): Map<string, Buffer> {
  const objects = new Map<string, Buffer>();
  for (let at = 0; at < output.length;) {
    const end = output.indexOf(10, at);
    if (end === -1) break;
    const [id = '', type, size = ''] = output.subarray(at, end).toString('utf8').split(' ');
    at = end + 1;
    if (type !== 'blob') continue;
    const length = Number(size);
    // The last content may have been cut.
    if (at + length < output.length) objects.set(id, output.subarray(at, at + length));
    at += length + 1;
  }
  return objects;
}

function isInRepository(directory: string): boolean {
  for (let at = directory; ; at = dirname(at)) {
    if (isRepositoryTop(at)) return true;
    if (at === dirname(at)) return false;
  }
}
