import { diffTexts, formatDiff } from '@loom/blocks/patch';
import type { BlobPort } from '@loom/kernel';
import { ConfinedFolder, hashOf, readPlace } from '../folder/confined-folder.ts';
import { PathError } from '../folder/path-error.ts';
import { replaceFiles, sweepTemporary } from '../folder/replace-files.ts';
import type { Replacement } from '../folder/replace-files.ts';
import type { FileStep, FileSteps, KeptSide } from './file-steps.ts';
import { isAt, replay, textOf } from './replay.ts';
import type { DiskSide, Replay } from './replay.ts';

/** A file that a turn or a branch changed, as people review it. */
export interface ChangedFile {
  path: string;
  kind: 'add' | 'modify' | 'delete' | 'rename';
  from?: string;
  diff?: string;
  added: number;
  removed: number;
  state: 'as-left' | 'changed-since' | 'undone' | 'unknown';
  restorable: boolean;
  why?: string;
  turns: string[];
}

/** A file that was left as it is. */
export interface LeftFile {
  path: string;
  reason: 'changed-since' | 'not-kept' | 'no-folder' | 'not-usable' | 'nothing-to-do';
  message: string;
  diff?: string;
}

/** A path that now has another content: the blob of it, or none if there is no file. */
export interface RestoredFile {
  path: string;
  blob?: string;
}

/** The files of a turn: one path, or the two of a file that was renamed. Both change or none. */
export interface FileGroup {
  path: string;
  from?: string;
  parts: readonly FileSteps[];
}

/** Puts the two paths of renamed files together. */
export function groupFiles(files: readonly FileSteps[]): FileGroup[] {
  const byPath = new Map(files.map((file) => [`${file.directory ?? ''}\0${file.path}`, file]));
  const taken = new Set<FileSteps>();
  const groups: FileGroup[] = [];
  for (const file of files) {
    const { renamed } =
      file.steps.findLast((step) => step.renamed !== undefined && step.before.type === 'absent') ?? {};
    const former = renamed === undefined ? undefined : byPath.get(`${file.directory ?? ''}\0${renamed}`);
    const isMove = former !== undefined && goesFrom(former) && comesTo(file) && !taken.has(former);
    if (!isMove) continue;
    groups.push({ path: file.path, from: former.path, parts: [file, former] });
    taken.add(file).add(former);
  }
  for (const file of files) if (!taken.has(file)) groups.push({ path: file.path, parts: [file] });
  return groups.toSorted((left, right) => (left.path < right.path ? -1 : 1));
}

function goesFrom({ steps }: FileSteps): boolean {
  return steps[0]?.before.type !== 'absent' && steps.at(-1)?.after.type === 'absent';
}

function comesTo({ steps }: FileSteps): boolean {
  return steps[0]?.before.type === 'absent' && steps.at(-1)?.after.type !== 'absent';
}

/** Compares what turns did to files with the files as they are, takes it back, and does it again. */
export class TurnFiles {
  readonly #blobs: Pick<BlobPort, 'get' | 'put'>;
  readonly #replace: typeof replaceFiles;
  readonly #folders = new Map<string, Promise<ConfinedFolder>>();

  /** `replace` writes the files. */
  constructor(blobs: Pick<BlobPort, 'get' | 'put'>, replace: typeof replaceFiles = replaceFiles) {
    this.#blobs = blobs;
    this.#replace = replace;
  }

  /** Describes the changes of some files, and whether they can be taken back. */
  async describe({ path, from, parts }: FileGroup, isUndone: boolean): Promise<ChangedFile> {
    const [main] = parts;
    const first = (parts[1] ?? main)?.steps[0]?.before;
    const last = main?.steps.at(-1)?.after;
    const shown = await this.#diff(main?.steps ?? [], first, last, from ?? path, path);
    const described = {
      path,
      kind: kindOf(first, last, from),
      ...(from === undefined ? {} : { from }),
      ...(shown === undefined ? {} : { diff: shown }),
      ...countLines(shown),
      turns: [...new Set(parts.flatMap(({ steps }) => steps.map(({ turn }) => turn)))],
    };
    if (isUndone) return { ...described, state: 'undone', restorable: false };
    try {
      const states = await Promise.all(parts.map((part) => this.#compare(part)));
      const state = states.find((one) => one.state !== 'as-left') ?? states[0];
      const worst = states.find(({ restorable }) => !restorable) ?? state;
      if (state === undefined || worst === undefined) return { ...described, state: 'unknown', restorable: false };
      return { ...described, ...worst, state: state.state };
    } catch (error) {
      return { ...described, state: 'unknown', restorable: false, why: wordsOf(error) };
    }
  }

  /** Takes changes back, or makes them again. Each group of files changes whole, or is left with the reason. */
  async bring(
    groups: readonly FileGroup[],
    to: 'undone' | 'done',
  ): Promise<{ restored: RestoredFile[]; left: LeftFile[] }> {
    const restored: RestoredFile[] = [];
    const left: LeftFile[] = [];
    for (const { path, parts } of groups) {
      try {
        const done = await this.#bringGroup(parts, to);
        if (Array.isArray(done)) restored.push(...done);
        else left.push({ path, ...done });
      } catch (error) {
        if (!(error instanceof PathError)) throw error;
        const reason = error.code === 'changed' || error.code === 'exists' ? 'changed-since' : 'not-usable';
        left.push({ path, reason, message: error.message });
      }
    }
    return { restored, left };
  }

  async #bringGroup(
    parts: readonly FileSteps[],
    to: 'undone' | 'done',
  ): Promise<RestoredFile[] | Omit<LeftFile, 'path'>> {
    const writes: Replacement[] = [];
    const restored: RestoredFile[] = [];
    for (const part of parts) {
      const { directory, path, steps } = part;
      if (directory === undefined) return { reason: 'no-folder', message: 'The conversation has no folder.' };
      const folder = await this.#folder(directory);
      const disk = await readDisk(folder, path);
      const result = await replay(steps, disk, to, (blob) => this.#blobs.get(blob));
      if (!result.ok) return this.#leave(part, disk, result, to);
      const { side } = result;
      const blob = side.type === 'content' ? { blob: await this.#blobs.put(side.bytes) } : {};
      restored.push({ path, ...blob });
      const before = disk.type === 'content' ? hashOf(disk.bytes) : undefined;
      if (isSameOnDisk(disk, side)) continue;
      writes.push({
        path,
        before,
        ...(side.type === 'content' ? { after: side.bytes, mode: side.mode } : { after: undefined }),
      });
    }
    const directory = parts[0]?.directory;
    if (writes.length > 0 && directory !== undefined) {
      const folder = await this.#folder(directory);
      await this.#replace(folder, writes);
      for (const { path } of writes) await sweepTemporary(folder, path);
    }
    return restored;
  }

  /** Says why a file is left as it is, with the difference to what the changes expect. */
  async #leave(
    { path, steps }: FileSteps,
    disk: DiskSide,
    { reason }: Extract<Replay, { ok: false }>,
    to: 'undone' | 'done',
  ): Promise<Omit<LeftFile, 'path'>> {
    if (reason === 'not-kept') {
      return { reason, message: `The content that ${path} had was not kept, so it cannot be restored.` };
    }
    const expected = to === 'undone' ? steps.at(-1)?.after : steps[0]?.before;
    const base = await this.#text(expected);
    const now = disk.type === 'content' ? textOf(disk.bytes) : '';
    const diff = base === undefined || now === undefined ? undefined : formatDiff(path, path, diffTexts(base, now));
    const message = `${path} was changed or deleted since, at the same lines.`;
    return { reason, message, ...(diff === undefined ? {} : { diff }) };
  }

  async #compare({ directory, path, steps }: FileSteps): Promise<Pick<ChangedFile, 'state' | 'restorable' | 'why'>> {
    if (directory === undefined) return { state: 'unknown', restorable: false, why: 'The conversation has no folder.' };
    const disk = await readDisk(await this.#folder(directory), path);
    const last = steps.at(-1)?.after;
    const first = steps[0]?.before;
    const result = await replay(steps, disk, 'undone', (blob) => this.#blobs.get(blob));
    const isAsLeft = last !== undefined && isAt(disk, last);
    const isBack = !isAsLeft && first !== undefined && isAt(disk, first);
    const state = isAsLeft ? 'as-left' : isBack ? 'undone' : last?.type === 'unknown' ? 'unknown' : 'changed-since';
    if (!result.ok) {
      const words = {
        'not-kept': 'Its content before the change was not kept.',
        'changed-since': 'The same lines were changed since.',
      };
      return { state, restorable: false, why: words[result.reason] };
    }
    return { state, restorable: true, ...(result.merged ? { why: 'Other lines were changed since; they stay.' } : {}) };
  }

  async #diff(
    steps: readonly FileStep[],
    first: KeptSide | undefined,
    last: KeptSide | undefined,
    from: string,
    to: string,
  ): Promise<string | undefined> {
    const [before, after] = [await this.#text(first), await this.#text(last)];
    // The diffs that the blocks show are all that is known of contents that were not kept.
    if (before === undefined || after === undefined) return steps.map(({ diff = '' }) => diff).join('') || undefined;
    const sides = [first?.type === 'absent' ? undefined : from, last?.type === 'absent' ? undefined : to] as const;
    return formatDiff(...sides, diffTexts(before, after));
  }

  async #text(side: KeptSide | undefined): Promise<string | undefined> {
    if (side?.type === 'absent') return '';
    return side?.type === 'content' ? textOf(await this.#blobs.get(side.blob)) : undefined;
  }

  #folder(directory: string): Promise<ConfinedFolder> {
    const folder = this.#folders.get(directory) ?? ConfinedFolder.open(directory);
    this.#folders.set(directory, folder);
    return folder;
  }
}

async function readDisk(folder: ConfinedFolder, path: string): Promise<DiskSide> {
  await using place = await folder.locate(path);
  // A link may have taken the place of the file, or of a folder above it.
  if (place.path !== path) throw new PathError('changed', path, `${path} leads to ${place.path} by now.`);
  if (place.found === undefined) return { type: 'absent' };
  const { bytes, hash, mode } = await readPlace(place, path, largest);
  return { type: 'content', bytes, blob: `sha256:${hash}`, mode };
}

function isSameOnDisk(disk: DiskSide, side: DiskSide): boolean {
  if (disk.type === 'absent' || side.type === 'absent') return disk.type === side.type;
  return disk.mode === side.mode && Buffer.from(disk.bytes).equals(side.bytes);
}

function kindOf(
  first: KeptSide | undefined,
  last: KeptSide | undefined,
  from: string | undefined,
): ChangedFile['kind'] {
  if (from !== undefined) return 'rename';
  if (first?.type === 'absent') return last?.type === 'absent' ? 'modify' : 'add';
  return last?.type === 'absent' ? 'delete' : 'modify';
}

function countLines(diff = ''): { added: number; removed: number } {
  const lines = diff.split('\n');
  const count = (mark: string, header: string): number =>
    lines.filter((line) => line.startsWith(mark) && !line.startsWith(header)).length;
  return { added: count('+', '+++ '), removed: count('-', '--- ') };
}

function wordsOf(error: unknown): string {
  if (error instanceof PathError) return error.message;
  throw error;
}

const largest = 1024 * 1024 * 1024;
