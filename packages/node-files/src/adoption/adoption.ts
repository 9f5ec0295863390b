import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { RootState } from '@loom/kernel';
import { forestLogName, rootCodec } from '@loom/kernel/logs';
import type { Clock } from '@loom/kernel';
import type { Change, Forest, RootOp } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { isDenied } from '@loom/stores/disk';
import type { LostLog } from '@loom/stores/files';
import { adoptRoot, createdAt } from './adopt-root.ts';
import type { AdoptedBookmark } from './adopt-root.ts';
import { readRoot, withCreation } from '../reading/read-directory.ts';
import type { LegacyRoot } from '../reading/read-directory.ts';
import { linksOf } from '../writing/dirty-nodes.ts';
import { FileLedger } from '../file-ledger.ts';
import { nodeFileName, rootFileName, rootPaths, rootsFileName } from '../file-names.ts';
import { findListed, listRoots, openForest } from './forest-list.ts';
import type { ListedRoot } from './forest-list.ts';
import { readNode } from '../reading/node-file.ts';
import { describeProblem } from '../problem.ts';
import type { NodeFileProblem } from '../problem.ts';
import { listNewNodeFiles, findRoots } from '../reading/find-roots.ts';
import type { FoundRoot } from '../reading/find-roots.ts';

export interface AdoptionOptions {
  store: Store;
  directory: string;
  clock: Clock;
  /** Reads the bookmarks of older generations, which kept them in the settings. Called once something needs adoption. */
  bookmarks?: () => Promise<readonly SpelledBookmark[]>;
  /** Called for each log that is gone although files were made of it, which now stand in for it. */
  lost?: (lost: LostLog) => void;
}

/** A bookmark as settings spell it: the node may be a bare id, if the root is named. */
export interface SpelledBookmark extends AdoptedBookmark {
  root?: string;
}

/** A root with files that were not in its log, and the number of new nodes. */
export interface AdoptedRoot {
  root: string;
  nodes: number;
  /** True if a log existed before. */
  wasKnown: boolean;
}

/**
 * Makes logs of a directory's node files that have none: of an older directory, of one whose logs are gone, and of files that came since. Nodes keep
 * their ids, and no file is changed. Each root is adopted when it is first read, whole or not at all, so after a crash the next process continues; if
 * nothing is new, nothing is written.
 */
export class Adoption {
  /** The roots adopted so far, in this process. */
  readonly roots: AdoptedRoot[] = [];
  /** All problems found in the part of the directory that was examined. */
  readonly problems: NodeFileProblem[];
  readonly #options: AdoptionOptions;
  /** The roots found in the directory, read when the first is needed. */
  #found: Promise<ReadonlyMap<string, FoundRoot>> | undefined;
  readonly #settled = new Map<string, Promise<void>>();
  #lastLedger: { root: string; ledger: FileLedger } | undefined;
  #bookmarks: readonly SpelledBookmark[] | undefined;

  /** Roots that were listed when the directory was opened; others are new, and have no files. */
  readonly #listed: ReadonlySet<string> | undefined;

  constructor(options: AdoptionOptions, problems: NodeFileProblem[] = [], listed?: ReadonlySet<string>) {
    this.#options = options;
    this.problems = problems;
    this.#listed = listed;
  }

  /** Lists the roots found in the directory, if any. Throws a `NodeFileError` if it cannot be read. */
  static async open(options: AdoptionOptions): Promise<Adoption> {
    const { store, directory, clock } = options;
    if (!existsSync(directory)) return new Adoption(options, [], new Set());
    const before = await findListed(store, clock);
    // A log that is not listed has lost a race: of several roots made at once for one config, one counts. But if the list itself is gone, which may
    // be deleted if logs are files, the roots that have files are listed again.
    const list = await store.read(forestLogName, 0, 1);
    const known = new Set([...before, ...(list === undefined ? [] : await store.logs())]);
    const { listed, unlisted, problems } = await findRoots(directory, {
      isWanted: (id) => !known.has(id),
      knownLists: list === undefined ? [] : await sumsOfList(store, list.epoch),
    });
    const isUsable = ({ entry }: FoundRoot): boolean => {
      const problem = describeName(directory, entry.id);
      if (problem !== undefined) problems.push(problem);
      return problem === undefined;
    };
    const [inOrder, others] = [listed.filter(isUsable), unlisted.filter(isUsable)];
    const now = clock.now();
    const roots = inOrder.map(({ entry }) => ({ id: entry.id, created: createdAt({ ...entry, nodes: [] }, now) }));
    const dated: ListedRoot[] = [];
    for (const found of others) {
      const { entry } = found;
      // Without an entry, only the messages of a root show where it belongs.
      const root = entry.createdAt === undefined ? await readRoot(directory, found, []) : { ...entry, nodes: [] };
      dated.push({ id: entry.id, created: createdAt(root, now) });
    }
    const added = [...roots, ...dated.toSorted((a, b) => a.created - b.created)];
    await listRoots(store, added);
    return new Adoption(options, problems, new Set([...before, ...added.map(({ id }) => id)]));
  }

  /** Makes sure that the log of a root holds the content of its files. Quick if that was done before. */
  settle(root: string): Promise<void> {
    const settled = this.#settled.get(root);
    if (settled !== undefined) return settled;
    const work = this.#settle(root, false).catch((error: unknown) => {
      // The next call tries again.
      this.#settled.delete(root);
      throw error;
    });
    this.#settled.set(root, work);
    return work;
  }

  /** Returns the ledger of a root if it was just read and not written since; the caller becomes its only owner. */
  takeLedger(root: string): FileLedger | undefined {
    const last = this.#lastLedger;
    this.#lastLedger = undefined;
    return last?.root === root ? last.ledger : undefined;
  }

  /** Settles all roots, and examines each of them for new files. */
  async settleAll(): Promise<void> {
    const { store, clock } = this.#options;
    for (const root of await findListed(store, clock)) await this.#settle(root, true);
  }

  async #settle(root: string, always: boolean): Promise<void> {
    const { store, directory, clock } = this.#options;
    const paths = root === forestLogName ? undefined : rootPaths(directory, root);
    if (paths === undefined || (this.#listed?.has(root) === false && !existsSync(paths.folder))) return;
    // Any later change gives the folder another time.
    const time = timeOf(paths.nodes);
    if (time !== '' && !always && (await this.#timeNoted(root)) === time) return;
    const isKnown = (await store.read(root, 0, 1)) !== undefined;
    if (isKnown && time === '') return;
    const forest = openForest(store, clock);
    const problems: NodeFileProblem[] = [];
    try {
      if (!isKnown || (await this.#hasNewFiles(root, forest, problems))) {
        const found = (await this.#find()).get(root);
        if (found === undefined) return;
        const read = withCreation(await readRoot(directory, found, problems));
        await this.#write(read, isKnown ? forest : undefined);
      }
      // A file that is repaired, or becomes readable, in place does not change its folder.
      const isAllRead = !problems.some(({ effect, file }) => effect === 'unreadable' && file.startsWith(paths.nodes));
      if (isAllRead) await this.#noteTime(root, time);
    } finally {
      this.problems.push(...problems);
      forest.close();
    }
  }

  /** Returns the folder time of nodes at the last examination: a new file changes its folder. */
  async #timeNoted(root: string): Promise<string | undefined> {
    const noted = await this.#options.store.readProjection(root, lookedThrough);
    return noted?.parts[0]?.text;
  }

  async #noteTime(root: string, text: string): Promise<void> {
    const { store } = this.#options;
    const { epoch } = (await store.read(root, 0, 1)) ?? { epoch: '' };
    const put = [{ key: 'nodes', text }];
    // It only saves the next process a look: even if nothing may be written, the content can be read.
    await store
      .writeProjection(root, lookedThrough, { epoch, seq: 1, base: undefined, put, drop: [] })
      .catch(() => undefined);
  }

  #find(): Promise<ReadonlyMap<string, FoundRoot>> {
    this.#found ??= existsSync(this.#options.directory)
      ? findRoots(this.#options.directory).then(
          ({ listed, unlisted }) => new Map([...listed, ...unlisted].map((root) => [root.entry.id, root])),
        )
      : Promise.resolve(new Map());
    return this.#found;
  }

  /** Returns true if the folder has readable files that the log does not know. Unreadable ones are reported. */
  async #hasNewFiles(root: string, forest: Forest, problems: NodeFileProblem[]): Promise<boolean> {
    const { store, directory } = this.#options;
    const folder = join(directory, root, 'nodes');
    const ledger = await FileLedger.load(store, root);
    const isKnown = (name: string): boolean => (ledger.get(name) ?? ledger.intended(name)) !== undefined;
    const unknown = await listNewNodeFiles(folder, (name) => isKnown(`nodes/${name}`));
    if (unknown.length === 0) {
      this.#lastLedger = { root, ledger };
      return false;
    }
    const { nodes } = await forest.log(root).state();
    const unreadable: NodeFileProblem[] = [];
    let isNew = false;
    for (const name of unknown) {
      if (nodes.has(`${root}/${name.replace(/\.json$/u, '')}`)) continue;
      const reading = readNode(join(folder, name), root, { provider: '', model: '' });
      if (reading.ok) isNew = true;
      else unreadable.push(reading.problem);
    }
    // If the root needs adoption, it is read as a whole, and these are found again.
    if (!isNew) problems.push(...unreadable);
    return isNew;
  }

  /** Writes the nodes that the log of a root lacks. */
  async #write(root: LegacyRoot, forest: Forest | undefined): Promise<void> {
    const { store, clock, lost } = this.#options;
    const state = await forest?.log(root.id).state();
    const seq = writtenAt(root);
    if (state === undefined && seq > 0) lost?.({ log: root.id, seq, end: 0 });
    const bookmarks = await this.#bookmarksOf(root);
    const changes = adoptRoot(root, { state, bookmarks, now: clock.now() });
    if (changes.length === 0) return;
    // Reduced before it is written: invalid changes must not become a log that cannot be opened.
    const reduced = state === undefined ? reduce(root.id, changes) : undefined;
    const before = await store.read(root.id, state?.seq ?? 0);
    const result = await store.append(root.id, {
      epoch: before?.epoch,
      expectedSeq: state?.seq ?? 0,
      records: rootCodec.encodeBatch(changes),
      ...rootCodec.formatOf(changes),
    });
    // Another process was faster, and has adopted the same files.
    if (!result.ok) return;
    const nodes = root.nodes.filter(({ id }) => state?.nodes.has(id) !== true).length;
    this.roots.push({ root: root.id, nodes, wasKnown: state !== undefined });
    const after = reduced ?? (await forest?.log(root.id).state());
    if (after !== undefined) await noteFiles(store, root, result.epoch, after, changes);
  }

  async #bookmarksOf(root: LegacyRoot): Promise<AdoptedBookmark[]> {
    const ids = new Set(root.nodes.map(({ id }) => id));
    const { bookmarks = () => Promise.resolve([]) } = this.#options;
    this.#bookmarks ??= await bookmarks();
    return this.#bookmarks.flatMap(({ node, title, root: named }) => {
      const id = ids.has(node) || named !== root.id ? node : `${root.id}/${node}`;
      return ids.has(id) ? [{ node: id, title }] : [];
    });
  }
}

/** Returns the last change in the files of a root; 0 if they are of an older generation. */
function writtenAt({ current, nodes }: LegacyRoot): number {
  return nodes.reduce((latest, node) => Math.max(latest, node.current?.seq ?? 0), current?.seq ?? 0);
}

/** The projection with the time of a folder's last examination. */
const lookedThrough = 'adopted';

/** Returns the checksums of the list of roots that Loom wrote last, and of the one before: they name no root that the log does not list. */
async function sumsOfList(store: Store, epoch: string): Promise<string[]> {
  const ledger = await FileLedger.load(store, forestLogName);
  ledger.belongTo(epoch);
  const entry = ledger.get(rootsFileName);
  return entry === undefined ? [] : [entry.sum, entry.links];
}

/** Returns the time of a folder's last change, or '' if it does not exist or cannot be accessed. */
function timeOf(folder: string): string {
  try {
    return String(statSync(folder, { throwIfNoEntry: false })?.mtimeMs ?? '');
  } catch (error) {
    if (isDenied(error)) return '';
    throw error;
  }
}

function reduce(root: string, changes: readonly Change<RootOp>[]): RootState {
  const state = new RootState(root);
  for (const change of changes) state.apply(change);
  return state;
}

/**
 * Notes the files that the log was made of in the ledger, so that only later edits of them count as edits. Older files stay until their nodes change.
 * Files of the current format name a change of a log that is gone, and are written again.
 */
async function noteFiles(
  store: Store,
  root: LegacyRoot,
  epoch: string,
  state: RootState,
  changes: readonly Change<RootOp>[],
): Promise<void> {
  const added = new Set(changes.flatMap(({ ops: [op] }) => (op?.type === 'node-added' ? [op.node.id] : [])));
  const ledger = await FileLedger.load(store, root.id);
  ledger.belongTo(epoch);
  for (const { id, stamp, current } of root.nodes) {
    const name = nodeFileName(root.id, id);
    const node = state.nodes.get(id);
    if (!added.has(id) || name === undefined || node === undefined) continue;
    const isRight = current === undefined;
    const links = isRight ? linksOf(state, id, node.parent) : '';
    ledger.put(name, { ...stamp, seq: isRight ? node.touched : 0, links });
  }
  const isDescribed = root.current !== undefined || ledger.get(rootFileName) !== undefined;
  if (!isDescribed) ledger.put(rootFileName, { sum: '', size: 0, mtime: 0, seq: state.seq, links: '' });
  await ledger.save(state.seq);
}

function describeName(directory: string, root: string): NodeFileProblem | undefined {
  if (rootPaths(directory, root) !== undefined) return undefined;
  const message = 'has a name that no conversation can have; rename the folder, and its entry in roots.json';
  return describeProblem('root-name-unusable', join(directory, root), message);
}
