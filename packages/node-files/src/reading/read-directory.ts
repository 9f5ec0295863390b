import { join } from 'node:path';
import { setImmediate as letOthersGo } from 'node:timers/promises';
import { isBlank, isPlainObject } from '@loom/blocks';
import { refuse } from '@loom/kernel';
import type { Refused, RootConfig } from '@loom/kernel';
import { modelOfConfig } from './legacy-source.ts';
import { readNode } from './node-file.ts';
import type { NodeReading } from './node-file.ts';
import { linkNodes } from './node-links.ts';
import type { LegacyNode } from './node-links.ts';
import { compareNames } from '../node-order.ts';
import { describeProblem, NodeFileError } from '../problem.ts';
import type { NodeFileProblem } from '../problem.ts';
import type { CurrentRoot } from './read-root-json.ts';
import { listNodeFiles, findRoots } from './find-roots.ts';
import type { FoundRoot } from './find-roots.ts';
import type { RootEntry } from './read-roots-json.ts';

/** A conversation of an older directory. */
export interface LegacyRoot extends RootEntry {
  /** Parents first, siblings in their order. */
  nodes: readonly LegacyNode[];
  /** The content of its own file; roots of older generations have none. */
  current?: CurrentRoot;
  /** The highest number in a file name of its folder, readable or not: none of these numbers is given out again. */
  highestNumber?: number;
}

/** An older directory in a form that can be shown, and all its problems. */
export interface LegacyDirectory {
  roots: LegacyRoot[];
  problems: NodeFileProblem[];
}

/** The number of files read before other work continues: a few milliseconds. */
const readingAtOnce = 64;

/**
 * Reads a directory of any of the older generations, mixed or damaged as it may be. Reads only: no file is changed, and no link followed. Throws a
 * `NodeFileError` if the directory itself cannot be read.
 */
export async function readDirectory(directory: string): Promise<LegacyDirectory> {
  const { listed, unlisted, problems } = await findRoots(directory);
  const read = async (found: readonly FoundRoot[]): Promise<LegacyRoot[]> => {
    const roots: LegacyRoot[] = [];
    for (const one of found) roots.push(await readRoot(directory, one, problems));
    return roots;
  };
  return {
    roots: [...(await read(listed)), ...(await read(unlisted)).map(withCreation).toSorted(byCreation)],
    problems,
  };
}

/** All nodes of a directory, root by root, parents first; bad ones are reported and the others readable. */
export async function findNodes(directory: string): Promise<{ nodes: LegacyNode[]; problems: NodeFileProblem[] }> {
  const { roots, problems } = await readDirectory(directory);
  return { nodes: roots.flatMap(({ nodes }) => nodes), problems };
}

/** Returns all nodes of a directory; throws a `NodeFileError` for the first file that cannot be read. */
export async function findNodesOrThrow(directory: string): Promise<LegacyNode[]> {
  const { nodes, problems } = await findNodes(directory);
  const first = problems.find(({ effect }) => effect === 'unreadable');
  if (first !== undefined) throw new NodeFileError(first);
  return nodes;
}

/** The node that a user meant by an id. */
export type NodeResolution = { ok: true; node: LegacyNode } | Refused;

/** Returns the node of an id: its own, or a bare one if only one root has it; else the candidates are named. */
export function resolveNode({ roots }: LegacyDirectory, id: string): NodeResolution {
  const nodes = roots.flatMap((root) => root.nodes);
  const exact = nodes.find((node) => node.id === id);
  const named = exact === undefined ? nodes.filter((node) => isAlias(node, id)) : [exact];
  const [first, ...others] = named;
  if (first === undefined) return refuse({ reason: 'node-not-found', node: id });
  if (others.length === 0) return { ok: true, node: first };
  return refuse({ reason: 'ambiguous-id', id, ids: named.map((node) => node.id) });
}

function isAlias({ id, root, declaredId }: LegacyNode, text: string): boolean {
  return declaredId === text || id.slice(root.length + 1) === text;
}

/** Reads the nodes of a root that was found. */
export async function readRoot(directory: string, found: FoundRoot, problems: NodeFileProblem[]): Promise<LegacyRoot> {
  const { entry, own } = found;
  if (own === undefined) return { ...entry, nodes: [] };
  const folder = join(directory, entry.id, 'nodes');
  const { files, highestNumber } = await listNodeFiles(folder, problems);
  const readings: NodeReading[] = [];
  const rootModel = modelOfConfig(entry.config);
  for (let start = 0; start < files.length; start += readingAtOnce) {
    const window = files.slice(start, start + readingAtOnce);
    for (const name of window) readings.push(readNode(join(folder, name), entry.id, rootModel));
    await letOthersGo();
  }
  for (const reading of readings) problems.push(...(reading.ok ? reading.problems : [reading.problem]));
  const listFile = own.found === undefined ? found.listFile : own.file;
  const linked = linkNodes({
    root: entry.id,
    nodes: readings.flatMap((reading) => (reading.ok ? [reading.node] : [])),
    unreadable: readings.flatMap((reading) => (reading.ok ? [] : [reading.links])),
    ...(listFile === undefined ? {} : { listed: { file: listFile, childIds: entry.childIds } }),
  });
  for (const problem of linked.problems) problems.push(problem);
  const { nodes } = linked;
  if (own.found !== undefined) return { ...entry, nodes, current: own.found.current, highestNumber };
  const config = liftPrompt(entry.config, entry.id, nodes, problems);
  return { ...entry, config, nodes, highestNumber };
}

/** The first generation could hold its prompt as a message. The message stays; models get the prompt from the root. */
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

/** Adds a creation time to an unlisted root, which may have none: at the latest that of its first message. */
export function withCreation(root: LegacyRoot): LegacyRoot {
  const times = root.nodes.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [timestamp]));
  const createdAt = root.createdAt ?? times.toSorted((a, b) => Date.parse(a) - Date.parse(b))[0];
  return createdAt === undefined ? root : { ...root, createdAt };
}

function byCreation(a: LegacyRoot, b: LegacyRoot): number {
  const [first, second] = [Date.parse(a.createdAt ?? ''), Date.parse(b.createdAt ?? '')];
  // Roots without a time come last.
  return (first || Infinity) - (second || Infinity) || compareNames(a.id, b.id);
}
