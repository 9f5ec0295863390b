import { readdir } from 'node:fs/promises';
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { isBlank, isPlainObject } from '@loom/blocks';
import type { Refusal, RootConfig } from '@loom/kernel';
import { modelOfConfig } from './legacy-source.ts';
import { readNode } from './node-file.ts';
import type { NodeReading } from './node-file.ts';
import { linkNodes } from './node-links.ts';
import type { LegacyNode } from './node-links.ts';
import { compareNames } from './node-order.ts';
import { describeProblem, NodeFileError } from './problem.ts';
import type { NodeFileProblem } from './problem.ts';
import { readRootsFile } from './roots-file.ts';
import type { RootEntry } from './roots-file.ts';

/** A conversation of an older directory. */
export interface LegacyRoot extends RootEntry {
  /** Parents first, siblings in their order. */
  nodes: readonly LegacyNode[];
}

/** An older directory as it can be shown, and everything about it that is not as it should be. */
export interface LegacyDirectory {
  roots: LegacyRoot[];
  problems: NodeFileProblem[];
}

/** So many files are read at a time. */
const readingAtOnce = 16;

/**
 * Reads a directory of any of the older generations, mixed or damaged as it may be. Reads only: no file is changed, and no
 * link followed. Throws a `NodeFileError` if the directory itself cannot be read.
 */
export async function readDirectory(directory: string): Promise<LegacyDirectory> {
  const problems: NodeFileProblem[] = [];
  const folders = await findFolders(directory, problems);
  const list = await readRootsFile(directory);
  // A directory without conversations needs no list of them.
  if (list.status !== 'missing' || folders.length > 0) for (const problem of list.problems) problems.push(problem);

  const listed = new Map(list.entries.map((entry) => [entry.id, entry]));
  const roots: LegacyRoot[] = [];
  for (const entry of list.entries) {
    if (folders.includes(entry.id)) {
      roots.push(await readRoot(directory, entry, list.file, problems));
      continue;
    }
    roots.push({ ...entry, nodes: [] });
    if (entry.childIds.length === 0) continue;
    const message = `lists ${entry.id}, which has no folder of nodes here; look for it in a backup`;
    problems.push(describeProblem('root-folder-missing', list.file, message));
  }
  const unlisted: LegacyRoot[] = [];
  for (const id of folders) {
    if (listed.has(id)) continue;
    const entry: RootEntry = { id, config: {}, childIds: [], deleted: false, extra: {} };
    unlisted.push(await readRoot(directory, entry, undefined, problems));
    if (list.status !== 'read') continue;
    const message = 'is not in roots.json; it is shown behind those that are, without a prompt of its own';
    problems.push(describeProblem('root-not-listed', join(directory, id), message));
  }
  return { roots: [...roots, ...unlisted.map(withCreation).toSorted(byCreation)], problems };
}

/** All nodes of a directory, root by root, parents first; bad ones are reported and the others readable. */
export async function findNodes(directory: string): Promise<{ nodes: LegacyNode[]; problems: NodeFileProblem[] }> {
  const { roots, problems } = await readDirectory(directory);
  return { nodes: roots.flatMap(({ nodes }) => nodes), problems };
}

/** All nodes of a directory; throws a `NodeFileError` for the first thing that cannot be read. */
export async function findNodesOrThrow(directory: string): Promise<LegacyNode[]> {
  const { nodes, problems } = await findNodes(directory);
  const first = problems.find(({ effect }) => effect === 'unreadable');
  if (first !== undefined) throw new NodeFileError(first);
  return nodes;
}

/** The node that somebody meant by an id. */
export type NodeResolution = { ok: true; node: LegacyNode } | { ok: false; refusal: Refusal };

/** The node that an id means: its own, or a bare one where only one root has it; else the candidates are named. */
export function resolveNode({ roots }: LegacyDirectory, id: string): NodeResolution {
  const nodes = roots.flatMap((root) => root.nodes);
  const exact = nodes.find((node) => node.id === id);
  const named = exact === undefined ? nodes.filter((node) => isAlias(node, id)) : [exact];
  const [first, ...others] = named;
  if (first === undefined) {
    return { ok: false, refusal: { reason: 'node-not-found', message: `there is no node ${id} in this directory` } };
  }
  if (others.length === 0) return { ok: true, node: first };
  const ids = named.map((node) => node.id);
  const message = `${id} may be ${ids.join(', ')}; give the whole id`;
  return { ok: false, refusal: { reason: 'ambiguous-id', message, ids } };
}

function isAlias({ id, root, declaredId }: LegacyNode, text: string): boolean {
  return declaredId === text || id.slice(root.length + 1) === text;
}

/** Real folders with a real folder `nodes` in them, in the order of their names. */
async function findFolders(directory: string, problems: NodeFileProblem[]): Promise<string[]> {
  let entries: Dirent[];
  try {
    entries = await readdir(directory, { withFileTypes: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new NodeFileError(
      describeProblem('directory-unreadable', directory, `cannot be read (${reason}); name a Loom data directory`),
    );
  }
  const folders: string[] = [];
  for (const entry of entries) {
    const path = join(directory, entry.name);
    if (entry.isSymbolicLink()) problems.push(describeLink(path));
    else if (entry.isFile() && isLeftover(entry.name)) problems.push(describeIgnored(path));
    else if (entry.isDirectory() && (await holdsNodes(path, problems))) folders.push(entry.name);
  }
  return folders.toSorted(compareNames);
}

async function holdsNodes(folder: string, problems: NodeFileProblem[]): Promise<boolean> {
  const nodes = (await listFolder(folder, problems)).find(({ name }) => name === 'nodes');
  if (nodes?.isSymbolicLink() === true) problems.push(describeLink(join(folder, 'nodes')));
  return nodes?.isDirectory() === true;
}

async function listFolder(folder: string, problems: NodeFileProblem[]): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    problems.push(describeProblem('folder-unreadable', folder, `cannot be read (${reason}); check its permissions`));
    return [];
  }
}

async function readRoot(
  directory: string,
  entry: RootEntry,
  listedIn: string | undefined,
  problems: NodeFileProblem[],
): Promise<LegacyRoot> {
  const folder = join(directory, entry.id, 'nodes');
  const files = await findFiles(folder, problems);
  const readings: NodeReading[] = [];
  const rootModel = modelOfConfig(entry.config);
  for (let start = 0; start < files.length; start += readingAtOnce) {
    const window = files.slice(start, start + readingAtOnce);
    readings.push(...(await Promise.all(window.map((name) => readNode(join(folder, name), entry.id, rootModel)))));
  }
  for (const reading of readings) problems.push(...(reading.ok ? reading.problems : [reading.problem]));
  const linked = linkNodes({
    root: entry.id,
    nodes: readings.flatMap((reading) => (reading.ok ? [reading.node] : [])),
    unreadable: readings.flatMap((reading) => (reading.ok ? [] : [reading.links])),
    ...(listedIn === undefined ? {} : { listed: { file: listedIn, childIds: entry.childIds } }),
  });
  for (const problem of linked.problems) problems.push(problem);
  const config = liftPrompt(entry.config, entry.id, linked.nodes, problems);
  return { ...entry, config, nodes: linked.nodes };
}

async function findFiles(folder: string, problems: NodeFileProblem[]): Promise<string[]> {
  const files: string[] = [];
  for (const entry of await listFolder(folder, problems)) {
    const path = join(folder, entry.name);
    if (entry.isSymbolicLink()) problems.push(describeLink(path));
    else if (entry.isFile() && /.\.json$/u.test(entry.name) && !isLeftover(entry.name)) files.push(entry.name);
    else problems.push(describeIgnored(path));
  }
  return files.toSorted(compareNames);
}

/** What migrations, editors and interrupted writes leave behind. */
function isLeftover(name: string): boolean {
  return /\.backup-|\.tmp(?:$|[.-])/u.test(name);
}

function describeIgnored(path: string): NodeFileProblem {
  return describeProblem('file-ignored', path, 'is no node file (a backup, a temporary file, or foreign); left alone');
}

function describeLink(path: string): NodeFileProblem {
  return describeProblem('link-ignored', path, 'is a link; links are not followed, so copy what it points to here');
}

/** The first generation could hold its prompt as a message. The message stays; models are told by the root. */
function liftPrompt(
  config: RootConfig,
  root: string,
  nodes: readonly LegacyNode[],
  problems: NodeFileProblem[],
): RootConfig {
  const [first, ...others] = nodes.filter(({ parent }) => parent === root);
  const block = first?.message.content[0];
  if (config.systemPrompt !== undefined || first === undefined || others.length > 0) return config;
  if (block?.type !== 'raw' || !isPlainObject(block.value) || block.value['role'] !== 'system') return config;
  const prompt = block.value['content'];
  if (typeof prompt !== 'string' || isBlank(prompt)) return config;
  problems.push(describeProblem('prompt-lifted', first.file, `its prompt is taken for the root's, which has none`));
  return { ...config, systemPrompt: prompt };
}

/** Nobody has written down when an unlisted root was made: not after its first message. */
function withCreation(root: LegacyRoot): LegacyRoot {
  const times = root.nodes.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [timestamp]));
  const createdAt = times.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
  return createdAt === undefined ? root : { ...root, createdAt };
}

function byCreation(a: LegacyRoot, b: LegacyRoot): number {
  const [first, second] = [Date.parse(a.createdAt ?? ''), Date.parse(b.createdAt ?? '')];
  // Roots without a time come last.
  return (first || Infinity) - (second || Infinity) || compareNames(a.id, b.id);
}
