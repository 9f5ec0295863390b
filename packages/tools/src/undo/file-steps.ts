import type { FileChange, MessageBlock } from '@loom/blocks';
import type { NodeState, RootState } from '@loom/kernel';
import { isPlainObject } from '@loom/blocks';

/** The state of a file on one side of a change: its content, that there was none, or that it was not kept. */
export type KeptSide = { type: 'content'; blob: string; mode?: number } | { type: 'absent' } | { type: 'unknown' };

/** One change of one path by a call. A renamed file is two of them. */
export interface FileStep {
  path: string;
  turn: string;
  /** The block that tells it, and the message of that block. */
  block: string;
  node: string;
  before: KeptSide;
  after: KeptSide;
  /** The diff that its block shows. */
  diff?: string;
  /** The other path of a file that was renamed. */
  renamed?: string;
}

/** The changes of one path, in the order in which they were made. */
export interface FileSteps {
  directory: string | undefined;
  path: string;
  steps: readonly FileStep[];
}

/** Returns the changes of files that the nodes hold, by path. `directory`: the folder of blocks that do not name theirs. */
export function stepsOf(nodes: readonly NodeState[], directory: string | undefined): FileSteps[] {
  const files = new Map<string, { directory: string | undefined; path: string; steps: FileStep[] }>();
  const watched = watchedTurns(nodes);
  for (const { id: node, blocks, turn = '', role } of nodes) {
    if (role === 'user') continue;
    for (const block of blocks) {
      if (block.type !== 'file-change') continue;
      const seen = isOfTurn(block) ? undefined : watched.get(turn);
      const folder = folderOf(block) ?? seen?.folder ?? directory;
      const changes = seen === undefined ? block.changes : besides(block.changes, seen, directory);
      const place = { turn, node, block: block.block_id ?? '' };
      for (const step of changes.flatMap((change) => stepsOfChange(change, place))) {
        const key = `${folder ?? ''}\0${step.path}`;
        const known = files.get(key) ?? { directory: folder, path: step.path, steps: [] };
        known.steps.push(step);
        files.set(key, known);
      }
    }
  }
  return [...files.values()].map((file) => ({ ...file, steps: inOrder(file.steps) }));
}

/** Returns the nodes that a turn wrote, in their order. */
export function nodesOfTurn(state: RootState, turn: string): NodeState[] {
  return [...state.nodes.values()].filter((node) => node.turn === turn && node.deleted !== true);
}

/** Returns what the blocks of the nodes say about changes that are not known. */
export function notesIn(nodes: readonly NodeState[]): string[] {
  const blocks = nodes.flatMap((node) => node.blocks.filter(({ type }) => type === 'file-change'));
  const notes = blocks.flatMap(({ metadata }): unknown[] => {
    const said = metadata?.['notes'];
    return Array.isArray(said) ? said : [];
  });
  return [...new Set(notes.filter((note) => typeof note === 'string'))];
}

/** The folder of a turn that was watched whole, and the files that it changed there. */
interface WatchedTurn {
  folder: string | undefined;
  paths: ReadonlySet<string>;
}

function watchedTurns(nodes: readonly NodeState[]): Map<string, WatchedTurn> {
  return new Map(
    nodes.flatMap(({ blocks, turn = '' }) => {
      const block = blocks.find((one) => one.type === 'file-change' && isOfTurn(one));
      if (block?.type !== 'file-change') return [];
      const paths = new Set(block.changes.map(({ path }) => path));
      return [[turn, { folder: folderOf(block), paths }] as const];
    }),
  );
}

/** The changes that an agent reports itself, without those that were seen: it names files by their whole paths, and keeps no contents. */
function besides(changes: readonly FileChange[], seen: WatchedTurn, directory: string | undefined): FileChange[] {
  const folders = [seen.folder, directory].filter((folder) => folder !== undefined);
  return changes.flatMap((change) => {
    const within = folders.find((folder) => change.path.startsWith(`${folder}/`));
    const path = within === undefined ? change.path : change.path.slice(within.length + 1);
    return seen.paths.has(path) ? [] : [{ ...change, path }];
  });
}

function isOfTurn({ metadata }: MessageBlock): boolean {
  return isPlainObject(metadata) && metadata['watched'] === 'turn';
}

function folderOf({ metadata }: MessageBlock): string | undefined {
  const folder: unknown = isPlainObject(metadata) ? metadata['directory'] : undefined;
  return typeof folder === 'string' ? folder : undefined;
}

function stepsOfChange(change: FileChange, place: Pick<FileStep, 'turn' | 'node' | 'block'>): FileStep[] {
  const { path, kind, from, diff, mode = {} } = change;
  const shown = diff === undefined ? {} : { diff };
  const before = sideOf(change.before, mode.before, kind === 'add');
  const after = sideOf(change.after, mode.after, kind === 'delete');
  if (kind !== 'rename' || from === undefined) return [{ path, ...place, before, after, ...shown }];
  return [
    { path: from, ...place, before, after: { type: 'absent' }, renamed: path },
    { path, ...place, before: { type: 'absent' }, after, renamed: from, ...shown },
  ];
}

function sideOf(blob: string | undefined, mode: number | undefined, isAbsent: boolean): KeptSide {
  if (blob !== undefined) return { type: 'content', blob, ...(mode === undefined ? {} : { mode }) };
  return isAbsent ? { type: 'absent' } : { type: 'unknown' };
}

/** Calls of one round run side by side, so their order in the conversation need not be that of their changes: contents tell it. */
function inOrder(steps: readonly FileStep[]): FileStep[] {
  const rest = [...steps];
  const ordered: FileStep[] = [];
  while (rest.length > 0) {
    const last = ordered.at(-1)?.after;
    let next = last === undefined ? -1 : rest.findIndex(({ before }) => isSameSide(before, last));
    if (next === -1) {
      next = rest.findIndex((step) => !rest.some((other) => other !== step && isSameSide(other.after, step.before)));
    }
    ordered.push(...rest.splice(Math.max(next, 0), 1));
  }
  return ordered;
}

/** Returns true if both sides are known and equal; the mode does not count. */
function isSameSide(one: KeptSide, two: KeptSide): boolean {
  if (one.type === 'content' && two.type === 'content') return one.blob === two.blob;
  return one.type === 'absent' && two.type === 'absent';
}
