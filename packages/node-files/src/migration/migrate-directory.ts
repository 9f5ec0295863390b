import { readdir } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { stableDeepEqual } from '@loom/blocks';
import { nodeJson } from '@loom/kernel';
import { Forest } from '@loom/kernel/logs';
import type { Clock, RootState } from '@loom/kernel';
import type { RootLog } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { machineFiles } from '@loom/stores/disk';
import type { FilesPort } from '@loom/stores/disk';
import { adoptDirectory } from '../adoption/adopting-store.ts';
import type { SpelledBookmark } from '../adoption/adoption.ts';
import { readDirectory } from '../reading/read-directory.ts';
import type { LegacyDirectory, LegacyRoot } from '../reading/read-directory.ts';
import { linksOf } from '../writing/dirty-nodes.ts';
import { FileLedger, sumOf } from '../file-ledger.ts';
import { nodeFileName, rootFileName, rootPaths } from '../file-names.ts';
import { judgeNodeFile } from '../intake/judge-node-file.ts';
import { toJsonBytes } from '../writing/file-replacement.ts';
import { finishMigration, migrateFiles } from './migrate-files.ts';
import type { MigratedFile, MigratedFiles } from './migrate-files.ts';
import { journalName } from './migration-journal.ts';
import { PastStates } from '../intake/past-states.ts';
import type { NodeFileProblem } from '../problem.ts';
import { digestRootFiles, digestRootLog } from '../adoption/root-digest.ts';
import type { RootDigest } from '../adoption/root-digest.ts';
import { RootCounters, rootJson } from '../writing/root-json-content.ts';

export interface MigrationOptions {
  directory: string;
  /** The directory's store; for a dry run one that is discarded afterwards. */
  store: Store;
  clock: Clock;
  bookmarks?: () => Promise<readonly SpelledBookmark[]>;
  /** The path of the full copy; by default beside the directory, named after the time. */
  backup?: string;
  dryRun?: boolean;
  files?: FilesPort;
}

/** The work done, or in a dry run to do. */
export interface MigrationReport {
  roots: number;
  nodes: number;
  /** The files that were written, by their paths below the directory. */
  written: string[];
  /** Files that another program changed at the last moment, and that were left alone. */
  left: string[];
  /** The path of the full copy; absent if nothing had to be done. */
  backup?: string;
  /** True if an earlier migration was completed. */
  resumed: boolean;
  /** The unreadable files, which stay as they are. */
  unreadable: NodeFileProblem[];
}

/**
 * The reason nothing was migrated: the directory holds something of a newer Loom; files were changed, and the log does not know; the copy would be
 * part of its own source, or mixed with an earlier one; or the new files do not match the old ones.
 */
export interface MigrationRefusal {
  reason: 'format-newer' | 'files-changed' | 'backup-inside' | 'backup-used' | 'not-verified';
  message: string;
  files: string[];
}

export type MigrationResult = { ok: true; report: MigrationReport } | { ok: false; refusal: MigrationRefusal };

/**
 * Writes every node of a directory in the current format. Everything is copied first, and nothing is replaced before the new files are verified by
 * hash and count. Called again after it was killed, it continues.
 */
export async function migrateDirectory(options: MigrationOptions): Promise<MigrationResult> {
  const { store, clock, files = machineFiles, dryRun = false } = options;
  const directory = resolve(options.directory);
  const backup = resolve(options.backup ?? `${directory}.backup-${timeName(clock.now())}`);
  if (!relative(directory, backup).startsWith('..')) {
    const message = `the copy would lie in ${backup}, inside of what is copied`;
    return refuse('backup-inside', message, [backup]);
  }
  const finished = dryRun ? undefined : await finishMigration(directory, files);
  await adoptDirectory({ ...options, directory });
  const forest = new Forest({ store, clock, ids: { next: refuseNewIds } });
  try {
    return await writeNewFiles({ ...options, directory, files, backup, dryRun }, forest, finished);
  } finally {
    forest.close();
  }
}

async function writeNewFiles(
  { directory, store, files, backup, dryRun }: Required<Omit<MigrationOptions, 'clock' | 'bookmarks'>>,
  forest: Forest,
  finished: MigratedFiles | undefined,
): Promise<MigrationResult> {
  const read = await readDirectory(directory);
  const states = await readStates(directory, forest);
  const plan = await planFiles({ directory, store, forest, files }, read, states);
  if (!plan.ok) return plan;
  const isDue = ({ path, bytes, before }: MigratedFile): boolean => sumOf(bytes) !== before && !plan.current.has(path);
  const due = plan.files.filter(isDue).map(({ path }) => path);
  const report: MigrationReport = {
    roots: states.size,
    nodes: plan.files.length - states.size,
    written: [...(finished?.ok === true ? finished.written : []), ...due],
    left: finished?.ok === true ? finished.left : [],
    ...(finished?.ok === true ? { backup: finished.backup } : due.length === 0 ? {} : { backup }),
    resumed: finished?.ok === true,
    unreadable: read.problems.filter(({ effect }) => effect === 'unreadable'),
  };
  if (due.length === 0 || dryRun) return { ok: true, report };
  const migrated = await migrateFiles(files, {
    directory,
    backup,
    staging: `${directory}.migration`,
    kept: await listFiles(directory),
    writes: plan.files,
    verify: (staging) => verifyFiles(staging, plan, read, states),
  });
  if (!migrated.ok) return refuse(migrated.reason, migrated.message, []);
  await noteFiles(directory, store, forest, states);
  return { ok: true, report: { ...report, backup: migrated.backup, left: [...report.left, ...migrated.left] } };
}

/** Returns the states of the roots that have files. */
async function readStates(directory: string, forest: Forest): Promise<Map<string, RootState>> {
  const states = new Map<string, RootState>();
  for (const root of await forest.roots()) {
    const state = await forest.log(root).state();
    if (state.seq > 0 && rootPaths(directory, root) !== undefined) states.set(root, state);
  }
  return states;
}

interface FilePlan {
  ok: true;
  /** All files, including those that are already right. */
  files: MigratedFile[];
  /** The roots without changes since their adoption. */
  untouched: ReadonlySet<string>;
  /** Files of the current format that match the log; only their counters may differ. */
  current: ReadonlySet<string>;
}

/** Plans every file as the log has it. Refuses if another program has changed one that has to be replaced. */
async function planFiles(
  { directory, store, forest, files }: { directory: string; store: Store; forest: Forest; files: FilesPort },
  { roots, problems }: LegacyDirectory,
  states: ReadonlyMap<string, RootState>,
): Promise<FilePlan | { ok: false; refusal: MigrationRefusal }> {
  const newer = problems.filter(({ code }) => code.endsWith('-format-newer')).map(({ file }) => file);
  if (newer.length > 0) {
    const message = `${newer.length === 1 ? '1 file is' : `${newer.length} files are`} of a newer format`;
    return refuse('format-newer', message, newer);
  }
  const present = new Set(await listFiles(directory));
  const found = new Map(roots.map((root) => [root.id, root]));
  const plan: FilePlan & { untouched: Set<string>; current: Set<string> } = {
    ok: true,
    files: [],
    untouched: new Set(),
    current: new Set(),
  };
  const changed: string[] = [];
  const add = (path: string, value: unknown, before: string, isKnown: boolean): void => {
    const bytes = toJsonBytes(value);
    // An existing file that cannot be read counts as changed by another program.
    const isFree = before === '' ? !present.has(path) : isKnown || before === sumOf(bytes);
    if (isFree) plan.files.push({ path, bytes, before });
    else changed.push(path);
  };
  for (const [root, state] of states) {
    const old = found.get(root);
    const ledger = await FileLedger.load(store, root);
    const sums = new Map(old?.nodes.map(({ id, stamp }) => [id, stamp.sum]));
    const log = forest.log(root);
    const past = new PastStates(store, root, log);
    let adopted = 0;
    for (const [id, { touched }] of state.nodes) {
      const name = nodeFileName(root, id);
      if (name === undefined) continue;
      const before = sums.get(id) ?? '';
      const entry = ledger.get(name);
      // A root adopted by a process that was then killed is in no ledger; a file that matches the log is known.
      const isUnnoted = before !== '' && entry === undefined;
      const isSame =
        isUnnoted && (await saysTheSame(log, id, past, await files.read(join(directory, root, name)), before));
      add(`${root}/${name}`, nodeJson(state, id), before, isSame || entry?.sum === before);
      if (isSame || (before !== '' && entry?.seq === touched)) adopted += 1;
    }
    if (adopted === digestRootLog(state).nodes) plan.untouched.add(root);
    const json = rootJson(state, RootCounters.of(state));
    const isDescribed = old !== undefined && isDescribedBy(state, old);
    const path = `${root}/${rootFileName}`;
    if (old?.current !== undefined && isDescribed) plan.current.add(path);
    add(path, json, old?.current?.stamp.sum ?? '', isDescribed);
  }
  if (changed.length === 0) return plan;
  const what = changed.length === 1 ? '1 file was' : `${changed.length} files were`;
  const message = `${what} changed, and the log does not know of it`;
  return refuse('files-changed', message, changed);
}

/** Returns true if a node file, which must not have changed since it was first read, matches the log. */
async function saysTheSame(
  log: RootLog,
  id: string,
  past: PastStates,
  bytes: Uint8Array,
  sum: string,
): Promise<boolean> {
  if (sumOf(bytes) !== sum) return false;
  return (await judgeNodeFile(log, id, bytes, { entry: undefined, merged: undefined, past })).type === 'same';
}

/** Returns true if the root's own file matches the log. */
function isDescribedBy({ config, title, tags, deleted, bookmarks }: RootState, root: LegacyRoot): boolean {
  const { current } = root;
  const said = { config: root.config, title: current?.title, tags: current?.tags ?? [], deleted: root.deleted };
  const marks = Object.fromEntries(current?.bookmarks.map(({ node, title: name }) => [node, name]) ?? []);
  return stableDeepEqual({ ...said, marks }, { config, title, tags, deleted, marks: Object.fromEntries(bookmarks) });
}

/**
 * Returns the problem of the new files, if any. Each root must have as many nodes as its log, with the same hash over their whole content; and if
 * nothing was said or edited since it was adopted, also the hash of the messages of the old files.
 */
async function verifyFiles(
  staging: string,
  { files, untouched }: FilePlan,
  before: LegacyDirectory,
  states: ReadonlyMap<string, RootState>,
): Promise<string | undefined> {
  const after = await readDirectory(staging);
  const [bad] = after.problems;
  if (bad !== undefined) return `${bad.file}: ${bad.message}`;
  const count = after.roots.reduce((sum, { nodes }) => sum + nodes.length + 1, 0);
  if (count !== files.length) return `${count} of ${files.length} new files can be read`;
  const digestIn = ({ roots }: LegacyDirectory, id: string): RootDigest | undefined => {
    const root = roots.find((one) => one.id === id);
    return root && digestRootFiles(root);
  };
  for (const [id, state] of states) {
    const expected = digestRootLog(state);
    if (digestIn(after, id)?.everything !== expected.everything) {
      return `the new files of ${id} do not say what its log says`;
    }
    if (untouched.has(id) && digestIn(before, id)?.messages !== expected.messages) {
      return `the new files of ${id} do not say what the old ones say`;
    }
  }
  return undefined;
}

/** Records the new files in the ledger, so that they are not taken for edited. */
async function noteFiles(
  directory: string,
  store: Store,
  forest: Forest,
  states: ReadonlyMap<string, RootState>,
): Promise<void> {
  const { roots } = await readDirectory(directory);
  for (const root of roots) {
    const state = states.get(root.id);
    if (state === undefined) continue;
    const ledger = await FileLedger.load(store, root.id);
    ledger.belongTo((await forest.log(root.id).cursor()).epoch);
    for (const { id, stamp, current } of root.nodes) {
      const [name, node] = [nodeFileName(root.id, id), state.nodes.get(id)];
      if (name === undefined || node === undefined || current?.seq !== node.touched) continue;
      ledger.put(name, { ...stamp, seq: node.touched, links: linksOf(state, id, node.parent) });
    }
    if (root.current !== undefined) ledger.put(rootFileName, { ...root.current.stamp, seq: state.seq, links: '' });
    await ledger.save(state.seq);
  }
}

/** Returns all files of a directory, by their paths below it. Links are not followed, and locks are not data. */
async function listFiles(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(directory, join(entry.parentPath, entry.name)))
    .filter((path) => path !== journalName && !path.startsWith('loom.lock'))
    .toSorted();
}

/** Returns a time as part of a file name that every system accepts. */
function timeName(time: number): string {
  return new Date(time).toISOString().replaceAll(/[:.]/gu, '-');
}

function refuse(
  reason: MigrationRefusal['reason'],
  message: string,
  files: string[],
): { ok: false; refusal: MigrationRefusal } {
  return { ok: false, refusal: { reason, message, files } };
}

function refuseNewIds(): never {
  throw new TypeError('migrating files makes no ids');
}
