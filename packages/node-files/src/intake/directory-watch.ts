import { lstatSync, watch } from 'node:fs';
import type { FSWatcher } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { failedWith } from '@loom/stores/disk';

/** Reports files that change in the folders of roots. */
export interface DirectoryWatch {
  /** Resolves once everything that exists is watched, and ends with the signal. May report too often, and miss something. */
  start(directory: string, told: WatchListener, signal: AbortSignal): Promise<void>;
}

export interface WatchListener {
  /** Gets the path of a change, below the directory. */
  changed(path: string): void;
  failed(error: unknown): void;
}

/** The system's reports of changes; the watch keeps no process alive. */
export const machineWatch: DirectoryWatch = {
  async start(directory, told, signal) {
    const folders = new WatchedFolders(directory, told);
    signal.addEventListener('abort', () => folders.close());
    // These two systems report all changes below a folder.
    if (process.platform === 'darwin' || process.platform === 'win32') return folders.watchWhole();
    await folders.watchEach(signal);
  },
};

/** The number of roots processed before other work continues. */
const rootsAtOnce = 25;
const nodesFolder = 'nodes';

/**
 * One watch for each folder that can hold files of a root. On a system without recursive watches Node builds one of these, by listing every folder
 * while everything else waits; and it goes through all its entries whenever a file is gone.
 */
class WatchedFolders {
  readonly #directory: string;
  readonly #told: WatchListener;
  readonly #watchers = new Map<string, FSWatcher>();
  #hasFailed = false;

  constructor(directory: string, told: WatchListener) {
    this.#directory = directory;
    this.#told = told;
  }

  watchWhole(): void {
    this.#watch('', () => {}, true);
  }

  async watchEach(signal: AbortSignal): Promise<void> {
    this.#watch('', (name) => this.#watchAgain(name));
    let taken = 0;
    for (const entry of await this.#list()) {
      if (!entry.isDirectory()) continue;
      if (signal.aborted) return;
      this.#watchRoot(entry.name);
      taken += 1;
      if (taken % rootsAtOnce === 0) await nextTurn();
    }
  }

  close(): void {
    for (const watcher of this.#watchers.values()) watcher.close();
    this.#watchers.clear();
  }

  async #list() {
    try {
      return await readdir(this.#directory, { withFileTypes: true });
    } catch (error) {
      this.#fail(error);
      return [];
    }
  }

  /** Handles an entry of this name that came or went. */
  #watchAgain(name: string): void {
    this.#forget(name);
    this.#forget(join(name, nodesFolder));
    if (lstatSync(join(this.#directory, name), { throwIfNoEntry: false })?.isDirectory() === true)
      this.#watchRoot(name);
  }

  #watchRoot(name: string): void {
    const nodes = join(name, nodesFolder);
    this.#watch(name, (inner) => {
      if (inner === nodesFolder) this.#watch(nodes);
    });
    this.#watch(nodes);
  }

  #watch(path: string, renamed: (name: string) => void = () => {}, recursive = false): void {
    this.#forget(path);
    try {
      const options = { recursive, persistent: false };
      const watcher = watch(join(this.#directory, path), options, (event, name) => {
        if (name === null) return;
        if (event === 'rename') renamed(name);
        this.#told.changed(join(path, name));
      });
      watcher.on('error', (error) => this.#fail(error));
      this.#watchers.set(path, watcher);
    } catch (error) {
      if (!failedWith(error, 'ENOENT') && !failedWith(error, 'ENOTDIR')) this.#fail(error);
    }
  }

  #forget(path: string): void {
    this.#watchers.get(path)?.close();
    this.#watchers.delete(path);
  }

  /** A system without room for one more watch has none for the others either: that is reported once. */
  #fail(error: unknown): void {
    if (this.#hasFailed) return;
    this.#hasFailed = true;
    this.#told.failed(error);
  }
}
