import { lstat, readFile } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { isRepositoryTop } from './repository-top.ts';
import type { ConfinedFolder, FolderEntry } from './confined-folder.ts';
import { listHeld, readPlace } from './confined-folder.ts';
import type { HeldFolder } from './held-folder.ts';
import { IgnoreRules, IgnoreStack } from './ignore-rules.ts';
import { PathError } from './path-error.ts';
import { isTemporaryName } from './replace-files.ts';

/** A file, folder or link that a walk came by. */
export interface WalkedEntry {
  /** The path below the confined folder. */
  path: string;
  kind: FolderEntry['kind'];
  /** The number of names below the start of the walk, from 1. */
  depth: number;
}

export interface WalkOptions {
  /** The path to start from. Default: the folder. */
  from?: string;
  /** The most names below the start. Default: any number. */
  depth?: number;
  signal?: AbortSignal;
  /** Called with a folder that cannot be listed. */
  failed?: (path: string) => void;
}

/**
 * Walks through a folder, in the order of paths, without following links. What `.gitignore` files say is left out, and the
 * repository's own folder `.git`.
 */
export async function* walk(folder: ConfinedFolder, options: WalkOptions = {}): AsyncGenerator<WalkedEntry> {
  const { from = '', depth = Number.POSITIVE_INFINITY, signal, failed } = options;
  await using place = await folder.locate(from === '' ? '.' : from);
  const [name] = place.names;
  if (name !== undefined && place.found === undefined)
    throw new PathError('not-found', from, `${from} does not exist.`);
  if (name !== undefined && place.found?.isDirectory() !== true) {
    throw new PathError('not-a-folder', from, `${from} is not a folder.`);
  }
  const above = place.path === '' ? [] : place.path.split('/');
  const top = await topNames(folder.path);
  let stack = top.stack;
  for (const depthAbove of above.keys()) {
    stack = await withRules(stack, folder, above.slice(0, depthAbove).join('/'), top.names.length + depthAbove);
  }
  const start = name === undefined ? place.parent : await place.parent.enter(name);
  try {
    yield* walkHeld(start, { names: above, topNames: top.names, stack, depth, level: 1, signal, failed });
  } finally {
    if (start !== place.parent) await start.close();
  }
}

interface Level {
  names: readonly string[];
  topNames: readonly string[];
  stack: IgnoreStack;
  depth: number;
  level: number;
  signal: AbortSignal | undefined;
  failed: ((path: string) => void) | undefined;
}

async function* walkHeld(held: HeldFolder, at: Level): AsyncGenerator<WalkedEntry> {
  const { names, topNames, depth, level, signal, failed } = at;
  const entries = await listHeld(held);
  const own = entries.some(({ name, kind }) => name === '.gitignore' && kind === 'file')
    ? await rulesIn(held)
    : undefined;
  const stack = own === undefined ? at.stack : at.stack.with(topNames.length + names.length, own);
  const keyOf = ({ name, kind }: FolderEntry): string => (kind === 'folder' ? `${name}/` : name);
  entries.sort((left, right) => (keyOf(left) < keyOf(right) ? -1 : 1));
  for (const { name, kind } of entries) {
    if (signal?.aborted === true) return;
    if (name === '.git' || isTemporaryName(name)) continue;
    const path = [...names, name];
    if (stack.ignores([...topNames, ...path], kind === 'folder')) continue;
    yield { path: path.join('/'), kind, depth: level };
    if (kind !== 'folder' || level >= depth) continue;
    const entered = await held.enter(name).catch(() => undefined);
    if (entered === undefined) {
      failed?.(path.join('/'));
      continue;
    }
    try {
      yield* walkHeld(entered, { ...at, names: path, stack, level: level + 1 });
    } finally {
      await entered.close();
    }
  }
}

async function rulesIn(held: HeldFolder): Promise<IgnoreRules | undefined> {
  try {
    const found = await lstat(held.at('.gitignore'), { bigint: true });
    const place = { path: '.gitignore', parent: held, names: ['.gitignore'], found };
    const { bytes } = await readPlace(
      { ...place, [Symbol.asyncDispose]: () => Promise.resolve() },
      '.gitignore',
      largestRules,
    );
    return new IgnoreRules(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

async function withRules(
  stack: IgnoreStack,
  folder: ConfinedFolder,
  path: string,
  depth: number,
): Promise<IgnoreStack> {
  try {
    const { bytes } = await folder.read(path === '' ? '.gitignore' : `${path}/.gitignore`, largestRules);
    return stack.with(depth, new IgnoreRules(bytes.toString('utf8')));
  } catch {
    return stack;
  }
}

/**
 * Returns the names that lead from the top of the repository to the folder, with the rules above it. Without a repository the folder
 * counts as part of all folders above it.
 */
export async function topNames(path: string): Promise<{ names: string[]; stack: IgnoreStack }> {
  const above: string[] = [];
  for (let at = path; !isRepositoryTop(at) && at !== dirname(at);) {
    at = dirname(at);
    above.unshift(at);
  }
  const [first = path] = above;
  let stack = new IgnoreStack();
  for (const [depth, directory] of above.entries()) {
    const text = await readFile(join(directory, '.gitignore'), 'utf8').catch(() => undefined);
    if (text !== undefined) stack = stack.with(depth, new IgnoreRules(text));
  }
  return { names: relative(first, path).split(sep).filter(Boolean), stack };
}

const largestRules = 1024 * 1024;
