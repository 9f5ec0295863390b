import { realpath } from 'node:fs/promises';
import { diffTexts, formatDiff } from '@loom/blocks/patch';
import type { FileChange } from '@loom/blocks';
import type { BlobPort, ProcessPort, ToolContext } from '@loom/kernel';
import { ConfinedFolder, hashOf } from '../folder/confined-folder.ts';
import { isSecretPath } from '../folder/secret-paths.ts';
import { readGitIndex } from './git-index.ts';
import type { GitIndex } from './git-index.ts';
import { textOf } from './replay.ts';
import type { RunningWatch } from '../shell/shell-ports.ts';
import { scanTree } from '../folder/tree-scan.ts';
import type { FileLook, TreeScan } from '../folder/tree-scan.ts';

/** The changes that were seen, and what was not watched, in words. */
interface WatchedChanges {
  changes: FileChange[];
  notes: string[];
}

/** The parts of the host that watching needs. */
interface WatchScope {
  blobs: Pick<BlobPort, 'put'>;
  /** Starts git; without it contents are copied instead. */
  processes?: Pick<ProcessPort, 'spawn'> | undefined;
  environment?: Readonly<Record<string, string>>;
  /** The cause of the changes, in words. */
  what: 'command' | 'turn';
}

/**
 * Notes the files of a folder before a command or a turn runs. `end` returns what changed since. The content before comes from git where a file is
 * clean there, else from a copy of files up to 1 MB and 64 MB in all; ignored files are not watched, and secrets not copied.
 */
async function watchChanges(directory: string, scope: WatchScope): Promise<{ end(): Promise<WatchedChanges> }> {
  const folder = await ConfinedFolder.open(directory);
  const before = await scanTree(folder.path);
  const git = await readGitIndex(folder.path, scope);
  const copies = await copyFiles(folder, before, git);
  return {
    async end() {
      const after = await scanTree(folder.path);
      const changes: FileChange[] = [];
      const notes = notesOf(before, after);
      const paths = changedPaths(before, after);
      if (paths.length > mostChanges) {
        notes.push(`The ${scope.what} changed ${paths.length} files; the first ${mostChanges} are listed.`);
      }
      const listed = paths.slice(0, mostChanges);
      const missing = listed.filter((path) => before.files.has(path) && !copies.has(path) && !isSecretPath(path));
      const contents = new Map([...copies, ...(await git.contents(missing))]);
      for (const path of listed) {
        const change = await describe(path, { folder, before, after, contents, scope });
        if (change !== undefined) changes.push(change);
      }
      const lost = changes.filter(({ kind, before: blob }) => kind !== 'add' && blob === undefined).length;
      if (lost > 0)
        notes.push(
          `${lost} of the changed files cannot be restored: their contents before the ${scope.what} were not kept.`,
        );
      return { changes, notes };
    },
  };
}

/** Watches a command: `end` returns the block about the files that it changed. That watching fails is said, and hinders no command. */
export function watchCommand(directory: string, context: WatchContext): Promise<RunningWatch> {
  return watch(directory, context, 'command');
}

/** Watches the turn of an agent, which changes files itself: the block counts instead of what the agent's calls say about the same files. */
export function watchTurn(directory: string, context: WatchContext): Promise<RunningWatch> {
  return watch(directory, context, 'turn');
}

type WatchContext = Pick<ToolContext, 'blobs' | 'processes'>;

async function watch(
  directory: string,
  { blobs, processes }: WatchContext,
  what: WatchScope['what'],
): Promise<RunningWatch> {
  const scope = { blobs, processes, what };
  const begun = await beginOrSay(directory, scope);
  // The command may take the folder itself away, so its path is looked up before.
  const path = await realpath(directory).catch(() => directory);
  return {
    async end() {
      const { changes, notes } = await begun.end().catch((error: unknown) => notWatched(error, what));
      if (changes.length === 0 && notes.length === 0) return undefined;
      const metadata = {
        directory: path,
        ...(what === 'turn' ? { watched: 'turn' } : {}),
        ...(notes.length === 0 ? {} : { notes }),
      };
      return { type: 'file-change', changes, metadata };
    },
  };
}

async function beginOrSay(directory: string, scope: WatchScope): Promise<{ end(): Promise<WatchedChanges> }> {
  try {
    return await watchChanges(directory, scope);
  } catch (error) {
    return { end: () => Promise.resolve(notWatched(error, scope.what)) };
  }
}

function notWatched(error: unknown, what: WatchScope['what']): WatchedChanges {
  const reason = error instanceof Error ? error.message : String(error);
  return { changes: [], notes: [`The files that the ${what} changed are not known: ${reason}`] };
}

const largestCopy = 1024 * 1024;
const mostCopies = 64 * 1024 * 1024;
/** The largest content that is kept of a file that a command has written. */
const largestAfter = 8 * 1024 * 1024;
const mostChanges = 1_000;

interface Watching {
  folder: ConfinedFolder;
  before: TreeScan;
  after: TreeScan;
  /** The contents before the command, as far as they are known. */
  contents: ReadonlyMap<string, Buffer>;
  scope: WatchScope;
}

/** Copies the contents that git does not have. Files that did not change since the last command are not read again. */
async function copyFiles(folder: ConfinedFolder, scan: TreeScan, git: GitIndex): Promise<Map<string, Buffer>> {
  const kept = lastCopies.directory === folder.path ? lastCopies.files : new Map<string, Copy>();
  const files = new Map<string, Copy>();
  let room = mostCopies;
  for (const [path, look] of scan.files) {
    if (look.size > largestCopy || look.size > room || git.isClean(path, look) || isSecretPath(path)) continue;
    const known = kept.get(path);
    const bytes = known !== undefined && isSameLook(known.look, look) ? known.bytes : await readCopy(folder, path);
    if (bytes === undefined) continue;
    files.set(path, { look, bytes });
    room -= bytes.length;
  }
  lastCopies = { directory: folder.path, files };
  return new Map(Array.from(files, ([path, { bytes }]) => [path, bytes]));
}

async function readCopy(folder: ConfinedFolder, path: string): Promise<Buffer | undefined> {
  return folder.read(path, largestCopy).then(
    ({ bytes }) => bytes,
    () => undefined,
  );
}

interface Copy {
  look: FileLook;
  bytes: Buffer;
}

/** The copies of the last command, for the next one in the same folder. */
let lastCopies: { directory: string; files: ReadonlyMap<string, Copy> } = { directory: '', files: new Map() };

function changedPaths(before: TreeScan, after: TreeScan): string[] {
  const paths: string[] = [];
  for (const [path, look] of after.files) {
    const known = before.files.get(path);
    if (known === undefined || !isSameLook(known, look)) paths.push(path);
  }
  // A scan that stopped early has not seen everything, so files may only seem to be gone.
  if (!after.isCut) for (const path of before.files.keys()) if (!after.files.has(path)) paths.push(path);
  return paths.toSorted();
}

function isSameLook(one: FileLook, two: FileLook): boolean {
  return (
    one.inode === two.inode &&
    one.size === two.size &&
    one.modified === two.modified &&
    one.changed === two.changed &&
    one.mode === two.mode
  );
}

async function describe(path: string, watching: Watching): Promise<FileChange | undefined> {
  const { folder, before, after, scope } = watching;
  const [was, is] = [before.files.get(path), after.files.get(path)];
  // A scan that stopped early says nothing about what it has not seen.
  if (was === undefined && before.isCut) return { path, kind: 'modify' };
  const old = was === undefined ? undefined : contentBefore(path, was, watching);
  const isSecret = isSecretPath(path);
  const now = is === undefined || isSecret || is.size > largestAfter ? undefined : await readNow(folder, path);
  const mode = {
    ...(was === undefined ? {} : { before: was.mode }),
    ...(is === undefined ? {} : { after: is.mode }),
  };
  if (old !== undefined && now !== undefined && was?.mode === is?.mode && hashOf(old) === hashOf(now)) return undefined;
  const kind = was === undefined ? 'add' : is === undefined ? 'delete' : 'modify';
  const diff = diffOf(path, kind, old, now);
  return {
    path,
    kind,
    ...(diff === undefined ? {} : { diff }),
    ...(old === undefined ? {} : { before: await scope.blobs.put(old) }),
    ...(now === undefined ? {} : { after: await scope.blobs.put(now) }),
    mode,
  };
}

function contentBefore(path: string, was: FileLook, { contents }: Watching): Buffer | undefined {
  const bytes = contents.get(path);
  // Filters of the repository may make other bytes of a file than it keeps.
  return bytes?.length === was.size ? bytes : undefined;
}

async function readNow(folder: ConfinedFolder, path: string): Promise<Buffer | undefined> {
  return folder.read(path, largestAfter).then(
    ({ bytes }) => bytes,
    () => undefined,
  );
}

function diffOf(
  path: string,
  kind: FileChange['kind'],
  old: Buffer | undefined,
  now: Buffer | undefined,
): string | undefined {
  const [before, after] = [kind === 'add' ? '' : textOf(old), kind === 'delete' ? '' : textOf(now)];
  if (before === undefined || after === undefined) return undefined;
  return formatDiff(
    kind === 'add' ? undefined : path,
    kind === 'delete' ? undefined : path,
    diffTexts(before, after, mostChanges),
  );
}

function notesOf(before: TreeScan, after: TreeScan): string[] {
  if (!before.isCut && !after.isCut) return [];
  const count = Math.max(before.files.size, after.files.size);
  return [
    `The folder has very many files: changes of the first ${count} were watched, changes of others are not known.`,
  ];
}
