import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import type { BigIntStats } from 'node:fs';
import { link, mkdir, open, rename, rmdir, unlink } from 'node:fs/promises';
import { listHeld, look, readPlace } from './confined-folder.ts';
import type { ConfinedFolder, FileState, Place } from './confined-folder.ts';
import type { HeldFolder } from './held-folder.ts';
import { isSameFile } from './held-folder.ts';
import { asPathError, PathError, systemCode } from './path-error.ts';

/** A change of one file: the content that it replaces, and the content that comes instead. */
export interface Replacement {
  path: string;
  /** The hash of the content that is replaced; `undefined`: there is no file. */
  before: string | undefined;
  /** The new content; `undefined`: the file is removed. */
  after: Uint8Array | undefined;
  /** The permission bits. Default: those of the file that is replaced, or 0644. */
  mode?: number | undefined;
}

/** A change that was made. */
export interface ReplacedFile {
  path: string;
  /** The file as it was; absent if there was none. */
  before?: FileState;
  /** The permission bits that it has now; absent if it was removed. */
  mode?: number;
}

/**
 * Changes several files, all or none. Every file must be as its replacement says, or nothing is done. A new content is written beside the
 * old one, made durable, and then takes its name: a reader sees the old file or the new one, and other names of the old
 * file (hard links) keep its content. If a change fails, those before it are taken back.
 */
export async function replaceFiles(folder: ConfinedFolder, wanted: readonly Replacement[]): Promise<ReplacedFile[]> {
  const staged: Staged[] = [];
  const done: Staged[] = [];
  try {
    for (const replacement of wanted) staged.push(await stage(folder, replacement));
    for (const one of staged) {
      await commit(one);
      done.push(one);
    }
    for (const { place } of staged) await place.parent.sync();
    return staged.map(({ place, before, mode }) => ({
      path: place.path,
      ...(before === undefined ? {} : { before }),
      ...(mode === undefined ? {} : { mode }),
    }));
  } catch (error) {
    for (const one of done.reverse()) await takeBack(folder, one);
    throw error;
  } finally {
    for (const one of staged.reverse()) await tidyUp(one, done.length === staged.length);
  }
}

/** The beginning of the temporary names: they are hidden, and left out of lists. */
const temporaryPrefix = '.loom-';

/** Returns true for the name of a file that is not complete yet, or that a crash has left behind. */
export function isTemporaryName(name: string): boolean {
  return temporaryName.test(name);
}

/** Removes what processes that are gone have left behind beside a file. */
export async function sweepTemporary(folder: ConfinedFolder, path: string): Promise<void> {
  await using place = await folder.locate(path);
  if (place.names.length > 1) return;
  for (const { name } of await listHeld(place.parent)) {
    const [, pid] = temporaryName.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) await unlink(place.parent.at(name)).catch(() => {});
  }
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return systemCode(error) !== 'ESRCH';
  }
}

interface Staged {
  replacement: Replacement;
  place: Place;
  name: string;
  before?: FileState;
  /** The name of the new content, until it takes its place. */
  temporary?: string;
  /** The new content itself, to tell whether it is still in its place. */
  written?: BigIntStats;
  mode?: number;
  /** Folders that were made for it, the deepest one last. */
  made: { parent: HeldFolder; name: string; isOurs: boolean }[];
}

const temporaryName = /^\.loom-(\d+)-[0-9a-f]{16}\.tmp$/u;

const largest = 1024 * 1024 * 1024;
const readAgain = 8 * 1024 * 1024;

async function stage(folder: ConfinedFolder, replacement: Replacement): Promise<Staged> {
  const { path, after } = replacement;
  const place = await folder.locate(path);
  const staged: Staged = { replacement, place, name: place.names.at(-1) ?? '', made: [] };
  try {
    if (place.found !== undefined) staged.before = await readPlace(place, path, largest);
    if (staged.before?.hash !== replacement.before) throw changed(path);
    if (after === undefined) return staged;
    await makeParents(staged);
    staged.mode = replacement.mode ?? staged.before?.mode ?? 0o644;
    staged.temporary = `${temporaryPrefix}${process.pid}-${randomBytes(8).toString('hex')}.tmp`;
    await writeTemporary(staged, after, staged.mode);
    return staged;
  } catch (error) {
    await tidyUp(staged, false);
    throw asPathError(error, path);
  }
}

function changed(path: string): PathError {
  return new PathError('changed', path, `${path} is no longer as it was. Read it again, then decide what to change.`);
}

async function makeParents(staged: Staged): Promise<void> {
  const { place } = staged;
  for (const name of place.names.slice(0, -1)) {
    await place.parent.confirm();
    // Another call may have made it since.
    const isOurs = await mkdir(place.parent.at(name)).then(() => true, isTaken);
    const entered = await place.parent.enter(name);
    staged.made.push({ parent: place.parent, name, isOurs });
    place.parent = entered;
  }
}

function isTaken(error: unknown): false {
  if (systemCode(error) === 'EEXIST') return false;
  throw error;
}

async function writeTemporary(staged: Staged, bytes: Uint8Array, mode: number): Promise<void> {
  const { place, temporary = '', before } = staged;
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
  await place.parent.confirm();
  await using file = await open(place.parent.at(temporary), flags, 0o600);
  await file.writeFile(bytes);
  const stats = await file.stat({ bigint: true });
  if (before !== undefined && (before.stats.uid !== stats.uid || before.stats.gid !== stats.gid)) {
    // Only some may give files to others; a file that one may write to need not be one's own.
    await file.chown(Number(before.stats.uid), Number(before.stats.gid)).catch(() => {});
  }
  await file.chmod(mode);
  await file.sync();
  staged.written = await file.stat({ bigint: true });
}

/** Puts a new content in its place, if the old one has not been touched since it was compared. */
async function commit(staged: Staged): Promise<void> {
  const { place, name, before, temporary, replacement } = staged;
  const { parent } = place;
  try {
    const now = await look(parent, name);
    if (!isUntouched(now, before?.stats)) throw changed(replacement.path);
    // A second write within one tick of the file system's clock shows only in the content.
    if (before !== undefined && before.bytes.length <= readAgain) {
      const again = await readPlace({ ...place, found: before.stats }, replacement.path, largest);
      if (again.hash !== before.hash) throw changed(replacement.path);
    }
    if (temporary === undefined) await unlink(parent.at(name));
    else if (before === undefined) await takeFreeName(parent, temporary, name);
    else await rename(parent.at(temporary), parent.at(name));
    await parent.confirm();
  } catch (error) {
    const refusal = asPathError(error, replacement.path);
    throw refusal.code === 'exists' || refusal.code === 'not-found' ? changed(replacement.path) : refusal;
  }
}

/** Gives a new file its name, unless another program has taken it. */
async function takeFreeName(parent: HeldFolder, temporary: string, name: string): Promise<void> {
  try {
    await link(parent.at(temporary), parent.at(name));
  } catch (error) {
    if (!['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK'].includes(systemCode(error) ?? '')) throw error;
    // A file system without hard links: an empty file takes the name first.
    await (await open(parent.at(name), constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL)).close();
    await rename(parent.at(temporary), parent.at(name));
  }
}

function isUntouched(now: BigIntStats | undefined, before: BigIntStats | undefined): boolean {
  if (now === undefined || before === undefined) return now === before;
  return isSameFile(now, before) && now.mtimeNs === before.mtimeNs && now.size === before.size;
}

/** Takes a change back after a later one failed, unless another program has changed the file since. */
async function takeBack(folder: ConfinedFolder, { place, name, before, written }: Staged): Promise<void> {
  try {
    const now = await look(place.parent, name);
    const isOurs = written === undefined ? now === undefined : now !== undefined && isSameFile(now, written);
    if (!isOurs) return;
    if (before === undefined) return await unlink(place.parent.at(name));
    const current =
      now === undefined ? undefined : (await readPlace({ ...place, found: now }, place.path, largest)).hash;
    await replaceFiles(folder, [{ path: place.path, before: current, after: before.bytes, mode: before.mode }]);
  } catch {
    // The error that is being handled matters more; the file's content before the change is in the blobs.
  }
}

async function tidyUp({ place, temporary, made }: Staged, isDone: boolean): Promise<void> {
  if (temporary !== undefined) await unlink(place.parent.at(temporary)).catch(() => {});
  await place.parent.close().catch(() => {});
  for (const { parent, name, isOurs } of made.reverse()) {
    // Folders with something in them stay.
    if (!isDone && isOurs) await rmdir(parent.at(name)).catch(() => {});
    await parent.close().catch(() => {});
  }
}
