import { join } from 'node:path';
import type { Clock, FeedEvent, FeedItem } from '@loom/kernel';
import type { Forest, RootLog } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { DirtyNodes } from './dirty-nodes.ts';
import type { DueNode } from './dirty-nodes.ts';
import { DirtyRootJson } from './dirty-root-json.ts';
import type { DueRoot } from './dirty-root-json.ts';
import { FileIntake, patience } from '../intake/file-intake.ts';
import { FileLedger, leftToNewer, sumOf } from '../file-ledger.ts';
import type { FileEntry } from '../file-ledger.ts';
import { rootFileName } from '../file-names.ts';
import type { RootPaths } from '../file-names.ts';
import { FileReplacement, toJsonBytes } from './file-replacement.ts';
import type { FilesReport } from '../files-report.ts';
import { inWindows } from '../in-windows.ts';
import type { NodeFilesPort } from '../node-files-port.ts';
import type { Quarantine } from '../intake/quarantine.ts';
import { RootFolderCheck } from '../intake/root-folder-check.ts';
import type { RootJson } from './root-json-content.ts';

/** The time over which changes are gathered before they are written, in milliseconds. */
const gathering = 100;
/** The pauses after failures grow from the first to the second, in milliseconds. */
const [shortestPause, longestPause] = [1000, 60_000];
/** The number of nodes written in one batch, with one sync of their folder. */
const batchSize = 1024;
/** The number of concurrent writes: syncs that wait together share the work of the disk. */
const writesAtOnce = 32;

export interface RootFolderOptions {
  root: string;
  paths: RootPaths;
  forest: Forest;
  store: Store;
  clock: Clock;
  files: NodeFilesPort;
  quarantine: Quarantine;
  takeLedger: (root: string) => FileLedger | undefined;
  report: (report: FilesReport) => void;
  /** Called with the content of the root's own file once it was written, or found right. */
  described: (json: RootJson) => void;
  /** Runs work when not too much else is under way. */
  limit: (work: () => Promise<void>) => Promise<void>;
}

/** The files of one root: written after its log, and searched for other programs' edits. Does one thing at a time. */
export class RootFolder {
  readonly #options: RootFolderOptions;
  readonly #log: RootLog;
  readonly #dirty = new DirtyNodes();
  readonly #dirtyRoot = new DirtyRootJson();
  readonly #intake: FileIntake;
  #ledger: FileLedger | undefined;
  #tail: Promise<unknown> = Promise.resolve();
  #checked: Promise<void> | undefined;
  /** Files to examine, or all. A failure leaves them here. */
  readonly #unseen = new Set<string>();
  #timer: { time: number; cancel: () => void } | undefined;
  #pause = 0;
  /** The number of works under way or queued. */
  #busy = 0;
  /** Files that are left alone, and were reported. */
  readonly #told = new Set<string>();
  #isClosed = false;

  constructor(options: RootFolderOptions) {
    const report = (item: FilesReport): void => {
      // A file that is left alone is found again at every check, and reported once.
      if (item.type === 'unknown' || item.type === 'newer') {
        if (this.#told.has(item.file)) return;
        this.#told.add(item.file);
      }
      options.report(item);
    };
    this.#options = { ...options, report };
    this.#log = options.forest.log(options.root);
    this.#intake = new FileIntake({ ...this.#options, ledger: () => this.#open() });
  }

  /** True if a fresh instance made at the next event would know and do the same as this one. */
  get isIdle(): boolean {
    const isDone = this.#dirty.isEmpty && !this.#dirtyRoot.isDirty && this.#unseen.size === 0;
    const isAtRest = this.#busy === 0 && this.#timer === undefined && this.#told.size === 0;
    return isDone && isAtRest && this.#ledger?.isSaved !== false;
  }

  /** The number of files that it knows of. */
  get fileCount(): number {
    return this.#ledger?.size ?? 0;
  }

  /** Schedules a write soon. */
  wake(): void {
    this.#schedule(gathering);
  }

  /** Notes a change of the log. */
  note(item: FeedItem<FeedEvent>): void {
    if (item.type === 'cursor') return;
    if (item.type === 'resync') {
      this.#dirty.addAll();
      this.#dirtyRoot.restart();
    } else {
      for (const event of item.events) this.#dirty.note(event);
      this.#dirtyRoot.note(item.events, item.seq);
    }
    this.#schedule(gathering);
  }

  /** Examines all files, once, and merges other programs' edits: then the log can be read. Never rejects. */
  check(): Promise<void> {
    this.#checked ??= this.recheck();
    return this.#checked;
  }

  /** Examines all files; `thorough` also reads those that seem untouched. */
  recheck(thorough = false): Promise<void> {
    this.#unseen.add(thorough ? 'all-bytes' : 'all');
    return this.#guarded(() => this.#lookAround());
  }

  /** Examines a file that was seen to change. Never rejects. */
  look(name: string): Promise<void> {
    this.#unseen.add(name);
    return this.#guarded(() => this.#lookAround());
  }

  /** Writes everything that has changed, without waiting for other programs. Rejects if something could not be written. */
  flush(): Promise<void> {
    return this.#exclusively(() => this.#flush(true));
  }

  /** Runs work while nothing is merged or written. */
  hold<T>(work: () => Promise<T>): Promise<T> {
    return this.#exclusively(work);
  }

  /** Writes everything and stops. Never rejects. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    const { root, report } = this.#options;
    await this.flush().catch((error: unknown) => report({ type: 'failed', root, error }));
  }

  #exclusively<T>(work: () => Promise<T>): Promise<T> {
    this.#busy += 1;
    const done = this.#tail.then(work).finally(() => (this.#busy -= 1));
    this.#tail = done.catch(() => undefined);
    return done;
  }

  /** Runs work without losing anything to a failure: the pending work stays pending. */
  async #guarded(work: () => Promise<void>): Promise<void> {
    try {
      await this.#exclusively(work);
      this.#intake.rest();
    } catch (error) {
      const { root, report } = this.#options;
      report({ type: 'failed', root, error });
      this.#pause = Math.min(Math.max(this.#pause * 2, shortestPause), longestPause);
    }
    this.#scheduleNext();
  }

  #scheduleNext(): void {
    const now = this.#options.clock.now();
    const next = this.#unseen.size > 0 ? now : Math.min(this.#dirty.nextTime(now), this.#dirtyRoot.nextTime());
    if (next < Infinity) this.#schedule(Math.max(next - now, gathering));
  }

  #schedule(delay: number): void {
    const { clock, limit } = this.#options;
    const wait = Math.max(delay, this.#pause);
    const time = clock.now() + wait;
    if (this.#isClosed || (this.#timer !== undefined && this.#timer.time <= time)) return;
    this.#timer?.cancel();
    const cancel = clock.after(wait, () => {
      this.#timer = undefined;
      // Waits for the others before it occupies its own folder: callers that want to examine it meanwhile need not wait.
      void limit(() => (this.#isClosed ? Promise.resolve() : this.#guarded(() => this.#lookAndFlush())));
    });
    this.#timer = { time, cancel };
  }

  async #lookAndFlush(): Promise<void> {
    const pause = this.#pause;
    const failure = await this.#lookAround().then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    // An unreadable file does not keep others from being written.
    await this.#flush(false);
    if (failure === undefined) return;
    this.#pause = pause;
    throw failure.error;
  }

  /** Returns the ledger of the present log. */
  async #open(): Promise<FileLedger> {
    const { store, root, takeLedger } = this.#options;
    const { epoch } = await this.#log.cursor();
    const ledger = this.#ledger ?? takeLedger(root) ?? (await FileLedger.load(store, root));
    this.#ledger = ledger;
    if (ledger.belongTo(epoch)) {
      this.#dirty.addAll();
      this.#dirtyRoot.restart();
    }
    return ledger;
  }

  async #lookAround(): Promise<void> {
    if (this.#unseen.size === 0) return;
    const { paths, files, root, report, described } = this.#options;
    const ledger = await this.#open();
    const [log, intake] = [this.#log, this.#intake];
    const dirty = { nodes: this.#dirty, root: this.#dirtyRoot };
    const later = (): number => this.#options.clock.now() + patience;
    const check = new RootFolderCheck({ root, paths, files, log, ledger, intake, dirty, later, report, described });
    const names = [...this.#unseen];
    for (const name of names) {
      // Any later event on the file is another reason to look.
      this.#unseen.delete(name);
      try {
        await (name.startsWith('all') ? check.all(name === 'all-bytes') : check.one(name));
      } catch (error) {
        this.#unseen.add(name);
        throw error;
      }
    }
  }

  async #flush(everything: boolean): Promise<void> {
    const ledger = await this.#open();
    for (;;) {
      const now = this.#options.clock.now();
      const { cursor, value } = await this.#log.read((state) => {
        if (state.seq === 0) return { nodes: [], root: undefined };
        const nodes = this.#dirty.take(state, ledger, now, batchSize, everything);
        if (ledger.get(rootFileName) === undefined && !this.#dirtyRoot.isDirty) this.#dirtyRoot.add();
        return { nodes, root: this.#dirtyRoot.take(state, now, everything) };
      });
      if (value.nodes.length === 0 && value.root === undefined) {
        // Queued files are not written yet, so the known progress is smaller.
        const isAll = this.#dirty.isEmpty && !this.#dirtyRoot.isDirty;
        if (cursor.seq > 0) await ledger.save(isAll ? cursor.seq : (ledger.seq ?? 0));
        this.#pause = 0;
        return;
      }
      const { root, report } = this.#options;
      const left = value.nodes.length + this.#dirty.size;
      if (everything && left > batchSize) report({ type: 'writing', root, left });
      await this.#write(ledger, value.nodes, value.root, !everything);
    }
  }

  async #write(ledger: FileLedger, nodes: DueNode[], root: DueRoot | undefined, patient: boolean): Promise<void> {
    const { paths, files } = this.#options;
    const replacement = new FileReplacement({
      files,
      folder: paths.folder,
      intake: this.#intake,
      isEditedSince: (name, entry) => ledger.isEditedSince(name, entry),
      patient,
    });
    const writes: FileWrite[] = nodes.map(({ name, json, links }) => ({
      name,
      bytes: toJsonBytes(json),
      place: { seq: json.metadata.seq, links },
      again: (time) => this.#dirty.add(json.id, time),
    }));
    if (root !== undefined) {
      const bytes = toJsonBytes(root.json);
      const place = { seq: root.json.seq, links: '' };
      writes.push({ name: rootFileName, bytes, place, again: (time) => this.#dirtyRoot.add(time) });
    }
    const retry = (): void => {
      for (const { again } of writes) again(0);
    };
    try {
      await ledger.intend(new Map(writes.map(({ name, bytes, place }) => [name, { sum: sumOf(bytes), ...place }])));
    } catch (error) {
      retry();
      throw error;
    }
    const written = new Map<string, FileEntry>();
    const errors: unknown[] = [];
    await inWindows(
      writes,
      async (write) => {
        try {
          const entry = await this.#replace(replacement, write, ledger.get(write.name));
          if (entry !== undefined) written.set(write.name, entry);
        } catch (error) {
          errors.push(error);
          write.again(0);
        }
      },
      writesAtOnce,
    );
    try {
      await replacement.settle();
    } catch (error) {
      retry();
      throw error;
    }
    for (const [name, entry] of written) {
      ledger.put(name, entry);
      this.#intake.replaced(name);
    }
    if (root !== undefined && written.has(rootFileName)) {
      this.#dirtyRoot.written(root.text);
      this.#options.described(root.json);
    }
    if (errors.length === 0) return;
    await ledger.save(ledger.seq ?? 0);
    throw errors[0];
  }

  async #replace(
    replacement: FileReplacement,
    { name, bytes, place, again }: FileWrite,
    known: FileEntry | undefined,
  ): Promise<FileEntry | undefined> {
    const { root, report, clock } = this.#options;
    const result = await replacement.replace(name, bytes, known);
    switch (result.type) {
      case 'again':
        again(0);
        return undefined;
      case 'wait':
        again(clock.now() + patience);
        return undefined;
      case 'left':
        return leftToNewer;
      case 'written':
        if (result.wasMissing && known !== undefined && known.sum !== '') {
          report({ type: 'restored', root, file: join(root, name) });
        }
        return { ...result.file, ...place };
    }
  }
}

/** A file to write, and the way to have it written again. */
interface FileWrite {
  name: string;
  bytes: Uint8Array;
  place: Pick<FileEntry, 'seq' | 'links'>;
  again: (notBefore: number) => void;
}
