import { isPlainObject } from '@loom/blocks';
import type { MessageBlock } from '@loom/blocks';
import { readPatch } from '@loom/blocks/patch';
import { isVisible, readRootSettings } from '@loom/kernel';
import type { BlobPort, Caller, LoomEngine, RootConfig, RootState } from '@loom/kernel';
import { stepsOf } from '../undo/file-steps.ts';
import type { FileStep, KeptSide } from '../undo/file-steps.ts';
import { textOf } from '../undo/replay.ts';
import type { FileIdentity, Workplace } from './file-identity.ts';
import { RememberedFile } from './remembered-file.ts';

/** A change of a file by a conversation. */
export interface HistoryStep extends FileStep {
  readonly root: string;
  /** Milliseconds since 1970. */
  readonly time: number;
  /** The path that the conversation means, absolute where its folder is known. */
  readonly place: string;
  readonly from?: string;
  readonly isPlaced: boolean;
}

/** The changes of a file by all conversations, oldest first. */
export interface FileHistory {
  steps: readonly HistoryStep[];
  /** The conversations that changed it. */
  roots: readonly string[];
  /** False if there may be changes that were not looked at. */
  isComplete: boolean;
}

/** The bounds of a history. */
export interface HistoryScope {
  /** Only this conversation, whatever project it belongs to. */
  root?: string | undefined;
  /** Only changes up to this time. */
  until?: number | undefined;
  /** Tells the conversations that worked in the repository, whatever their project. */
  worksHere: (config: RootConfig) => Promise<boolean>;
}

/** Gathers what conversations tell of a file. Only those are opened whose changes of files name it. */
export async function readHistory(
  engine: LoomEngine,
  caller: Caller,
  file: FileIdentity,
  { root, until = Infinity, worksHere }: HistoryScope,
): Promise<FileHistory> {
  const looked = new Set<string>();
  const searched = new Set<string>();
  let steps: HistoryStep[] = [];
  let isComplete = true;
  // Each earlier name may lead to further conversations, which may know further names.
  for (let round = 0; round < mostNames; round += 1) {
    const names = [...file.names].filter((name) => !searched.has(name));
    if (names.length === 0) break;
    for (const name of names) {
      searched.add(name);
      const found = await rootsNaming(engine, caller, name, root);
      isComplete &&= found.isComplete;
      for (const id of found.roots) looked.add(id);
    }
    steps = [];
    for (const id of looked) {
      const summary = await engine.forest.summary(id);
      if (summary === undefined || summary.deleted) continue;
      const project = await engine.projects.find(summary);
      const isNamed = root !== undefined || (await worksHere(summary.config));
      const read = await engine.forest.readUnlessDamaged(id, (state) => stepsIn(state, file, { project, isNamed }));
      if (read === undefined) isComplete = false;
      steps.push(...(read ?? []));
    }
  }
  const sorted = withoutCopies(
    steps.filter(({ time }) => time <= until).toSorted((one, other) => one.time - other.time),
  );
  const kept = sorted.slice(-mostSteps);
  return {
    steps: kept,
    roots: [...new Set(kept.map((step) => step.root))],
    isComplete: isComplete && kept.length === sorted.length,
  };
}

/** Replays a history. Returns what is known of each path that the file had, the one that changed last first. */
export async function rememberFiles(
  steps: readonly HistoryStep[],
  blobs: Pick<BlobPort, 'get' | 'size'>,
): Promise<{ place: string; file: RememberedFile }[]> {
  const files = new Map<string, RememberedFile>();
  for (const [number, step] of steps.entries()) {
    const { place, from, renamed } = step;
    const file = files.get(place) ?? new RememberedFile();
    // Moved to the end: the order is that of the last changes.
    files.delete(place);
    files.set(place, file);
    const former = from === undefined ? undefined : files.get(from);
    if (former !== undefined) file.takeOver(former);
    // The step of the old path tells only that the file left; the rest is told by the step of the new path, which comes next.
    const isLeft = renamed !== undefined && step.after.type === 'absent';
    if (isLeft) continue;
    const hunks = step.diff === undefined ? [] : hunksOf(step.diff);
    const isMoved = from !== undefined;
    const before = isMoved ? undefined : await sideText(step.before, blobs);
    const after = await sideText(step.after, blobs);
    file.note({ before, after, hunks, isPlaced: step.isPlaced }, number);
    if (from !== undefined) files.delete(from);
  }
  return Array.from(files, ([place, file]) => ({ place, file })).reverse();
}

async function rootsNaming(
  engine: LoomEngine,
  caller: Caller,
  name: string,
  root: string | undefined,
): Promise<{ roots: string[]; isComplete: boolean }> {
  if (root !== undefined) return { roots: [root], isComplete: true };
  const roots = new Set<string>();
  let from: string | undefined;
  for (let page = 0; page < mostPages; page += 1) {
    const found = await engine.call('kernel.search', caller, {
      query: name,
      literal: true,
      kinds: ['file-change'],
      context_lines: 0,
      max_matches_per_block: 1,
      max_blocks_per_root: 1,
      max_blocks: 500,
      ...(from === undefined ? {} : { from }),
    });
    if (!found.ok) return { roots: [...roots], isComplete: false };
    for (const one of found.value.conversations) roots.add(one.root);
    from = found.value.next;
    if (from === undefined) return { roots: [...roots], isComplete: found.value.complete };
  }
  return { roots: [...roots], isComplete: false };
}

function stepsIn(
  state: RootState,
  file: FileIdentity,
  { project, isNamed }: Omit<Workplace, 'directory'>,
): HistoryStep[] {
  if (state.deleted) return [];
  const { directory } = readRootSettings(state.config);
  const nodes = [...state.nodes.values()].filter((node) => node.draft !== true);
  const groups = stepsOf(nodes, directory).map((group) => {
    const place: Workplace = { directory: group.directory, project, isNamed };
    return { ...group, place, path: file.absolute(group.path, place) };
  });
  // A name before a renaming makes further groups relevant, in any order.
  const wanted = new Set<(typeof groups)[number]>();
  for (let count = -1; count !== wanted.size;) {
    count = wanted.size;
    for (const group of groups) {
      if (wanted.has(group) || !file.isSame(group.path, group.place)) continue;
      wanted.add(group);
      for (const { renamed, before } of group.steps) {
        if (renamed !== undefined && before.type === 'absent')
          file.addName(file.absolute(renamed, group.place), group.place);
      }
    }
  }
  return [...wanted].flatMap((group) => {
    let latest = 0;
    return group.steps.flatMap((step): HistoryStep[] => {
      const isUndone = state.undoneFiles.get(step.turn)?.has(step.path) === true;
      if (isUndone || !isVisible(state, step.node)) return [];
      const node = state.nodes.get(step.node);
      const block = node?.blocks.find(({ block_id: id }) => id === step.block);
      // Their contents tell the order of calls that ran side by side.
      latest = Math.max(latest, timeOf(block) ?? node?.time ?? 0);
      const isTo = step.renamed !== undefined && step.before.type === 'absent';
      return [
        {
          ...step,
          root: state.id,
          time: latest,
          place: group.path,
          ...(isTo ? { from: file.absolute(step.renamed ?? '', group.place) } : {}),
          isPlaced: !(isPlainObject(block?.metadata) && block.metadata['basis'] === 'parameters'),
        },
      ];
    });
  });
}

function timeOf(block: MessageBlock | undefined): number | undefined {
  const time = Date.parse(block?.created_at ?? '');
  return Number.isNaN(time) ? undefined : time;
}

/** Sessions that were forked or resumed repeat their beginning: the first one to tell of a change has made it. */
function withoutCopies(steps: readonly HistoryStep[]): HistoryStep[] {
  const known = new Set<string>();
  return steps.filter(({ root, time, place, diff, before, after }) => {
    const key = JSON.stringify([time, place, diff, before, after]);
    const isCopy = known.has(key) && !known.has(`${root} ${key}`);
    known.add(key).add(`${root} ${key}`);
    return !isCopy;
  });
}

async function sideText(side: KeptSide, blobs: Pick<BlobPort, 'get' | 'size'>): Promise<string | null | undefined> {
  if (side.type !== 'content') return side.type === 'absent' ? null : undefined;
  if (((await blobs.size(side.blob)) ?? Infinity) > largestText) return undefined;
  return textOf(await blobs.get(side.blob));
}

function hunksOf(diff: string) {
  const read = readPatch(diff);
  return read.ok ? read.patch.hunks : [];
}

const mostNames = 5;
const mostPages = 20;
const mostSteps = 2_000;
export const largestText = 2 * 1024 * 1024;
