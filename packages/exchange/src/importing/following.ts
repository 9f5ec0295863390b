import { watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { filesIn } from './discovery.ts';
import { beginningOf, findFile } from './file-scan.ts';
import { recognize } from './format.ts';
import type { ForeignFormat, FoundFile } from './format.ts';
import { runImport } from './import-run.ts';
import type { ImportSetup } from './import-run.ts';
import { Importer } from './importer.ts';
import type { KnownSource } from './known-sources.ts';
import { LineFile } from './line-file.ts';
import { remarksOf } from './reporting/import-remarks.ts';
import type { ImportRemark } from './reporting/import-remarks.ts';

export interface FollowingOptions {
  setup: ImportSetup;
  folders: readonly { known: KnownSource; folder: string }[];
  /** Called with the failure of a file; the others are still followed. */
  failed: (error: unknown) => void;
  /** Called with remarks for people about the imported content; may repeat a remark. */
  remarked?: (remark: ImportRemark) => void;
  /** The interval between scans of the folders, in milliseconds: for folders that come later, and for changes that the system did not report. */
  roundTime?: number;
}

interface Followed {
  file: LineFile;
  importer: Importer;
}

/** The time over which writes are gathered, in milliseconds. */
const gathering = 100;

const usualRoundTime = 30_000;

/** The number of files kept open; another one that grows is read again from its beginning. */
const mostFollowed = 64;

/** Imports the sessions of agents while they work. */
export class Following {
  readonly #options: FollowingOptions;
  readonly #watchers = new Map<string, FSWatcher>();
  readonly #files = new Map<string, Followed>();
  /** Files that were read whole, in their state then: some leave no other note, such as those of deleted conversations. */
  readonly #settled = new Map<string, FoundFile>();
  readonly #due = new Set<string>();
  readonly #stopping = new AbortController();
  #work: Promise<void> = Promise.resolve();
  #timer: NodeJS.Timeout | undefined;
  #rounds: NodeJS.Timeout | undefined;

  constructor(options: FollowingOptions) {
    this.#options = options;
  }

  /** Imports the existing content, and then each addition. Resolves once the existing content is imported. */
  async start(): Promise<void> {
    this.#watchFolders();
    const { roundTime = usualRoundTime } = this.#options;
    this.#rounds = setInterval(() => void this.#round(), roundTime).unref();
    await this.#round();
  }

  /** Stops following. Everything that was read is durable once this resolves. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    clearTimeout(this.#timer);
    clearInterval(this.#rounds);
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
    await this.#work;
    for (const path of this.#files.keys()) await this.#forget(path).catch(this.#options.failed);
  }

  #watchFolders(): void {
    for (const { known, folder } of this.#options.folders) {
      if (this.#watchers.has(folder)) continue;
      try {
        const watcher = watch(folder, { recursive: true }, (_event, name) => {
          if (name !== null) this.#wake(known, join(folder, name));
        });
        watcher.on('error', (error) => {
          watcher.close();
          this.#watchers.delete(folder);
          this.#options.failed(error);
        });
        this.#watchers.set(folder, watcher);
      } catch {
        // The folder does not exist yet. The next round looks again.
      }
    }
  }

  #wake(known: KnownSource, path: string): void {
    if (this.#stopping.signal.aborted || known.classify(path) === 'other') return;
    this.#due.add(path);
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#enqueue(() => this.#readDue());
    }, gathering);
  }

  /** Queues work: two readers of one file would import it twice. */
  #enqueue(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work).catch(this.#options.failed);
    return this.#work;
  }

  #round(): Promise<void> {
    this.#watchFolders();
    return this.#enqueue(async () => {
      const { forest, origins } = this.#options.setup;
      await origins.refresh(forest);
      for (const { known, folder } of this.#options.folders) {
        for (const found of await filesIn(known, folder)) {
          if (this.#stopping.signal.aborted) return;
          if (!this.#files.has(found.path) && !origins.isTaken(found) && !this.#isSettled(found))
            await this.#takeWhole(found);
        }
      }
    });
  }

  /** Reads and forgets a file that is not being written at the moment. */
  async #takeWhole(found: FoundFile): Promise<void> {
    const job = { signal: this.#stopping.signal, report: () => {} };
    try {
      const { setup, remarked } = this.#options;
      const request = { paths: [found.path], ...(remarked === undefined ? {} : { remarked }) };
      const { files, warnings } = await runImport(setup, request, job);
      if (files > 0) this.#settled.set(found.path, found);
      else for (const text of warnings) remarked?.({ about: text, text });
    } catch (error) {
      this.#options.failed(error);
    }
  }

  #isSettled({ path, bytes, modified }: FoundFile): boolean {
    const settled = this.#settled.get(path);
    return settled !== undefined && settled.bytes === bytes && settled.modified === modified;
  }

  async #readDue(): Promise<void> {
    const paths = [...this.#due];
    this.#due.clear();
    for (const path of paths) {
      if (this.#stopping.signal.aborted) return;
      await this.#read(path).catch(this.#options.failed);
    }
  }

  async #read(path: string): Promise<void> {
    const known = this.#files.get(path);
    if (known !== undefined && !(await known.file.isSame())) {
      this.#files.delete(path);
      // The content of a deleted file may be nowhere else.
      await known.file.end();
    }
    const followed = this.#files.get(path) ?? (await this.#follow(path));
    // The most recently written one goes last.
    this.#files.delete(path);
    if (followed === undefined) return;
    // If this fails, the reader has lost the items it handed over: the file is forgotten, and read again from its beginning.
    await followed.file.readOn({ signal: this.#stopping.signal });
    for (const remark of remarksOf(followed.importer, path)) this.#options.remarked?.(remark);
    this.#files.set(path, followed);
    const [oldest] = this.#files.keys();
    if (this.#files.size > mostFollowed && oldest !== undefined) await this.#forget(oldest);
  }

  async #follow(path: string): Promise<Followed | undefined> {
    const { setup } = this.#options;
    const found = await findFile(path);
    if (found === undefined) return undefined;
    const beginning = await beginningOf(path);
    const format = await recognize(setup.formats, path, beginning);
    if (format?.form !== 'lines') {
      if (format !== undefined) await this.#takeWhole(found);
      return undefined;
    }
    return this.#open(format, found);
  }

  async #open(format: Extract<ForeignFormat, { form: 'lines' }>, found: FoundFile): Promise<Followed> {
    const { setup } = this.#options;
    const importer = new Importer({ ...setup, source: format.source });
    const reader = await format.open(found);
    return { importer, file: new LineFile({ path: found.path, reader, importer, blobs: setup.blobs }) };
  }

  async #forget(path: string): Promise<void> {
    const followed = this.#files.get(path);
    this.#files.delete(path);
    if (followed === undefined) return;
    const found = await findFile(path);
    await followed.file.end();
    if (found?.bytes === followed.file.offset && followed.file.isComplete) await followed.importer.noteFile(found);
  }
}
