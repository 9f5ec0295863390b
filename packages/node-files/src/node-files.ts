import { join } from 'node:path';
import type { Clock } from '@loom/kernel';
import type { Forest } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { compareStamps, isAsLeft } from './intake/changed-files.ts';
import { FileLedger } from './file-ledger.ts';
import { placeOfPath, rootPaths, rootsFileName, temporaryEnd } from './file-names.ts';
import type { FilesReport } from './files-report.ts';
import { forgetCopies } from './forget-files.ts';
import type { ForgottenNodes } from './forget-files.ts';
import { inWindows } from './in-windows.ts';
import { machineWatch } from './intake/directory-watch.ts';
import type { DirectoryWatch } from './intake/directory-watch.ts';
import { listFolder, machineNodeFiles, requireFolder } from './node-files-port.ts';
import type { NodeFilesPort } from './node-files-port.ts';
import { Quarantine } from './intake/quarantine.ts';
import type { QuarantinedFile } from './intake/quarantine.ts';
import { RootFolder } from './writing/root-folder.ts';
import type { RootJson } from './writing/root-json-content.ts';
import { RootsJsonWriter } from './writing/roots-json-writer.ts';

/** The quiet time after a file's last event before it is examined, in milliseconds. */
const quiet = 150;
/** The time over which changes of the list are gathered, in milliseconds. */
const gathering = 200;
/** The longest time until changes that the watch has missed are found, in milliseconds. */
const rescanPause = 5 * 60_000;
/** The number of roots examined between two turns of the event loop. */
const scannedAtOnce = 2;
/** The number of roots written at a time. */
const rootsAtOnce = 4;

/** The number of idle roots kept in memory. */
const mostFolders = 100;
/** The number of files in the folders of idle roots: what is known of each takes memory, and an import comes to many. */
const mostFiles = 2_000;
/** The number of them that are checked for release whenever another one comes. */
const lookedAt = 4;

export interface NodeFilesOptions {
  directory: string;
  forest: Forest;
  store: Store;
  clock: Clock;
  files?: NodeFilesPort;
  watch?: DirectoryWatch;
  /** Returns a ledger that another part has just read and no longer needs. */
  takeLedger?: (root: string) => FileLedger | undefined;
  /** Called with every report that a user may want to see. */
  report?: (report: FilesReport) => void;
}

/**
 * Plain files beside the logs of a forest. They are written after the logs, and other programs' writes to them become changes of agent `filesystem`.
 * A log never waits for its files, and no failure of the disk reaches it.
 */
export class NodeFiles {
  readonly #options: Required<NodeFilesOptions>;
  readonly #quarantine: Quarantine;
  readonly #index: RootsJsonWriter;
  /** The most recently used one comes last. */
  readonly #roots = new Map<string, RootFolder>();
  /** Roots whose files were all examined. */
  readonly #checked = new Set<string>();
  readonly #listed: Set<string>;
  readonly #stops: (() => void)[] = [];
  /** Files that changed a moment ago. */
  readonly #stirred = new Map<string, () => void>();
  readonly #watching = new AbortController();
  readonly #limit = createLimit(rootsAtOnce);
  #scanning: Promise<void> = Promise.resolve();
  #indexTail: Promise<void> = Promise.resolve();
  #indexTimer: (() => void) | undefined;
  #isClosed = false;

  /** Follows a forest from now on. Nothing is examined or written before something changes, or a caller asks. */
  static async open(options: NodeFilesOptions): Promise<NodeFiles> {
    return new NodeFiles(options, await options.forest.roots());
  }

  private constructor(options: NodeFilesOptions, roots: readonly string[]) {
    this.#options = {
      files: machineNodeFiles,
      watch: machineWatch,
      takeLedger: () => undefined,
      report: () => undefined,
      ...options,
    };
    const { directory, files, forest } = this.#options;
    this.#quarantine = new Quarantine(directory, files);
    this.#index = new RootsJsonWriter({ ...this.#options, quarantine: this.#quarantine });
    this.#listed = new Set(roots);
    this.#stops.push(
      forest.subscribeToRoots((root) => {
        this.#listed.add(root);
        this.#open(root)?.wake();
      }),
      // A root is written before it is listed, and one that loses a race for its config never is.
      forest.subscribeToChanges((root, item) => {
        if (this.#listed.has(root)) this.#open(root)?.note(item);
      }),
    );
  }

  /** The number of folders in memory. */
  get foldersInMemory(): number {
    return this.#roots.size;
  }

  /** Merges other programs' writes to the files of a root. Must be awaited before its first read; after that it costs nothing. */
  async checkRoot(root: string): Promise<void> {
    if (!this.#listed.has(root) || this.#checked.has(root)) return;
    await this.#open(root)?.check();
    this.#checked.add(root);
  }

  /** Reads every file of a root, also those that seem untouched. */
  async recheckRoot(root: string): Promise<void> {
    if (this.#listed.has(root)) await this.#open(root)?.recheck(true);
  }

  /**
   * Starts watching the directory, and examines the files of all roots, now and from time to time. Resolves after the first time, and never rejects.
   */
  async start(): Promise<void> {
    this.#scanning = this.#sweep()
      .catch((error: unknown) => this.#fail(error))
      .then(() => this.#watch());
    await this.#scanning;
    if (!this.#isClosed) await this.scan();
  }

  /** Examines the files of all roots. An unchanged root is not loaded for it. */
  scan(): Promise<void> {
    this.#scanning = this.#scanning.then(() => this.#scanAll());
    return this.#scanning;
  }

  /** Writes everything that has changed. Rejects if something could not be written. */
  async flush(): Promise<void> {
    await Promise.all(Array.from(this.#roots.values(), (files) => files.flush()));
    await this.#updateIndex();
  }

  /**
   * Removes the files of nodes or of whole roots, and all quarantined copies of them, then runs `work` while nothing of these roots is merged or
   * written, and writes their files again. Other programs' writes to them are merged before.
   */
  async forget<T>(forgotten: ForgottenNodes, work: () => Promise<T>): Promise<T> {
    const { directory } = this.#options;
    // In one order, so that two callers that wait for the same roots do not deadlock.
    const roots = [...new Set([...forgotten.roots, ...forgotten.nodes.keys()])].sort();
    const folders = roots.flatMap((root) => this.#open(root) ?? []);
    for (const folder of folders) await folder.recheck();
    let held = async (): Promise<T> => {
      await forgetCopies(directory, forgotten);
      return work();
    };
    for (const folder of folders) {
      const inner = held;
      held = () => folder.hold(inner);
    }
    try {
      return await held();
    } finally {
      for (const [index, folder] of folders.entries()) {
        await folder.recheck();
        await folder.flush().catch((error: unknown) => this.#fail(error, roots[index]));
      }
      await this.#updateIndex();
    }
  }

  /** Returns the quarantined files, with the reasons. */
  quarantined(): Promise<QuarantinedFile[]> {
    return this.#quarantine.list();
  }

  /** Writes everything and stops; must be awaited before the forest and the store are closed. Files that cannot be written are reported. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#watching.abort();
    for (const cancel of this.#stirred.values()) cancel();
    this.#indexTimer?.();
    await this.#scanning;
    await inWindows(this.#roots.values(), (files) => files.close());
    await this.#updateIndex();
    for (const stop of this.#stops) stop();
  }

  async #watch(): Promise<void> {
    const { directory, watch } = this.#options;
    const told = { changed: (path: string) => this.#stir(path), failed: (error: unknown) => this.#fail(error) };
    if (!this.#isClosed) await watch.start(directory, told, this.#watching.signal);
  }

  async #scanAll(): Promise<void> {
    const look = async (root: string): Promise<void> => {
      if (this.#isClosed) return;
      const files = this.#roots.get(root);
      try {
        if (files !== undefined) await files.recheck();
        else if (!(await this.#isAsLeft(root))) await this.checkRoot(root);
      } catch (error) {
        this.#fail(error, root);
      }
    };
    await inWindows(this.#listed, look, scannedAtOnce);
    await this.#updateIndex();
    if (!this.#isClosed) this.#later('scan', rescanPause, () => this.scan());
  }

  /** Temporary files left by a crash are worthless: the logs have their content. */
  async #sweep(): Promise<void> {
    const { directory, files } = this.#options;
    await requireFolder(files, join(directory, 'quarantine'));
    for (const folder of [directory, join(directory, 'quarantine')]) {
      for (const name of await listFolder(files, folder)) {
        if (name.endsWith(temporaryEnd)) await files.remove(join(folder, name));
      }
    }
  }

  #open(root: string): RootFolder | undefined {
    const known = this.#roots.get(root);
    if (known !== undefined) {
      this.#roots.delete(root);
      this.#roots.set(root, known);
      return known;
    }
    this.#makeRoom();
    const { directory, report } = this.#options;
    const paths = rootPaths(directory, root);
    if (paths === undefined) {
      this.#fail(
        new TypeError(
          `the root ${JSON.stringify(root)} is not a valid name for a folder, so its files are not written`,
        ),
        root,
      );
      this.#listed.delete(root);
      return undefined;
    }
    const files = new RootFolder({
      ...this.#options,
      root,
      paths,
      quarantine: this.#quarantine,
      report,
      described: (json) => this.#describe(json),
      limit: this.#limit,
    });
    this.#roots.set(root, files);
    return files;
  }

  /**
   * Releases idle roots: memory must not grow with the number of roots that were ever used. A few of the oldest are checked each time, since all of
   * them may be busy; busy ones move behind the others.
   */
  #makeRoom(): void {
    let count = 0;
    for (const { fileCount } of this.#roots.values()) count += fileCount;
    for (const [root, files] of this.#roots.entries().take(lookedAt)) {
      if (this.#roots.size < mostFolders && count < mostFiles) return;
      this.#roots.delete(root);
      if (files.isIdle) count -= files.fileCount;
      else this.#roots.set(root, files);
    }
  }

  /** Returns true if the files of a root are those that were written last, and none needs writing. */
  async #isAsLeft(root: string): Promise<boolean> {
    const { store, files, directory } = this.#options;
    const ledger = await FileLedger.load(store, root);
    const paths = rootPaths(directory, root);
    if (paths === undefined) return true;
    if (ledger.seq === undefined) return false;
    const contents = await store.read(root, ledger.seq);
    if (contents === undefined || contents.records.length > 0) return false;
    for await (const { stamp, entry } of compareStamps(ledger, paths, files)) {
      if (!isAsLeft(stamp, entry)) return false;
    }
    return true;
  }

  /** Handles an event on a file. Editors touch a file several times when they save: it is examined once they are done. */
  #stir(path: string): void {
    if (this.#isClosed) return;
    const place = placeOfPath(path);
    const [folder = ''] = path.split(/[/\\]/u);
    if (place !== undefined && this.#listed.has(place.root)) {
      this.#later(path, quiet, () => this.#open(place.root)?.look(place.name));
    } else if (path === rootsFileName) {
      this.#later(path, quiet, () => this.#updateIndex());
    } else if (path === folder || path === join(folder, 'nodes')) {
      // A folder came or went.
      if (this.#listed.has(folder)) this.#later(folder, quiet, () => this.#open(folder)?.recheck());
    }
  }

  #later(key: string, delay: number, work: () => Promise<void> | undefined): void {
    this.#stirred.get(key)?.();
    const cancel = this.#options.clock.after(delay, () => {
      this.#stirred.delete(key);
      void work();
    });
    this.#stirred.set(key, cancel);
  }

  #describe(json: RootJson): void {
    if (!this.#index.describe(json) || this.#isClosed || this.#indexTimer !== undefined) return;
    this.#indexTimer = this.#options.clock.after(gathering, () => {
      this.#indexTimer = undefined;
      void this.#updateIndex();
    });
  }

  /** Never rejects. */
  #updateIndex(): Promise<void> {
    this.#indexTail = this.#indexTail.then(() => this.#writeIndex());
    return this.#indexTail;
  }

  async #writeIndex(): Promise<void> {
    try {
      const unknown = await this.#index.update();
      if (!this.#isClosed) for (const root of unknown) void this.checkRoot(root);
    } catch (error) {
      this.#fail(error);
      if (!this.#isClosed) this.#later(rootsFileName, 1000, () => this.#updateIndex());
    }
  }

  #fail(error: unknown, root?: string): void {
    this.#options.report({ type: 'failed', root, error });
  }
}

/** Runs at most `most` works at a time, each of which hands its place to the next. */
function createLimit(most: number): (work: () => Promise<void>) => Promise<void> {
  let free = most;
  const waiting: (() => void)[] = [];
  return async (work) => {
    if (free > 0) free -= 1;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) free += 1;
      else next();
    }
  };
}
