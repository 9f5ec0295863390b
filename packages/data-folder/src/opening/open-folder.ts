import { isAboutOneLog } from '@loom/kernel/store';
import type { Clock } from '@loom/kernel';
import type { Forest } from '@loom/kernel/logs';
import type { Store } from '@loom/kernel/store';
import { finishMigration, machineNodeFiles, NodeFiles, openAdoptingStore } from '@loom/node-files';
import type { Adoption, ForgottenNodes, QuarantinedFile, SpelledBookmark } from '@loom/node-files';
import type { LostLog } from '@loom/stores/files';
import type { HeldLock } from '../files/lock.ts';
import type { TellFolderNews } from '../folder-news.ts';
import type { StoreKind } from '../store-kind.ts';
import { findStore, openStore } from './data-store.ts';
import { guardFiles, guardStore } from './guarded-writes.ts';
import { collectLost, keptLossesOf } from './lost-logs.ts';
import { becomeWriter, writeSign } from './writer-lock.ts';
import type { WriterDoor, WriterOptions } from './writer-lock.ts';

export interface FolderOptions extends WriterOptions {
  dataDir: string;
  clock: Clock;
  /** Chooses the kind of store for the logs; called if there are none yet. */
  chooseStore: () => Promise<StoreKind>;
  /** Reads the bookmarks that older generations kept outside their folders. */
  bookmarks: () => Promise<SpelledBookmark[]>;
  news: TellFolderNews;
}

/** A data folder that this process alone writes to, until it is closed. */
export interface OpenFolder {
  readonly store: Store;
  /** The roots found in node files that had no log. */
  readonly adoption: Adoption;
  /** Logs that are gone although something in them was acknowledged, by name. */
  readonly lost: ReadonlyMap<string, LostLog>;
  /** Marks the lost logs as known to the user: they are no longer reported. Returns their number. */
  acknowledgeLosses(): Promise<number>;
  /** Keeps files beside the logs that people can read and edit, from now on. */
  keepFiles(forest: Forest): Promise<FolderFiles>;
  /** Tells other processes that want to write the address of this one, and lets them in with a secret that only this user can read. */
  announce(address: string, door: WriterDoor): Promise<void>;
  /** Closes the store, and lets the next writer in. Idempotent. */
  close(): Promise<void>;
}

/** The readable files of an open folder. */
export interface FolderFiles {
  /** Merges other programs' edits of the files of a root. */
  check(root: string): Promise<void>;
  /** Reads every node file of a root again, and repairs those that do not match the log. */
  recheck(root: string): Promise<void>;
  /** Returns the node files that could not be merged, and their present paths. */
  quarantined(): Promise<QuarantinedFile[]>;
  /**
   * Removes the files of purged nodes and roots, has the logs rewritten while nothing of these roots is merged or written, and writes the files
   * again.
   */
  forget<T>(forgotten: ForgottenNodes, rewrite: () => Promise<T>): Promise<T>;
  /** Merges edits as they are made, from now on. */
  watch(): void;
  /** Writes the remaining files. */
  close(): Promise<void>;
}

/**
 * Opens a data folder as its only writer, and creates it if needed: takes the lock, completes a restoration or migration that was cut short, opens
 * the logs and adopts node files without logs. A second writer is refused with a `FolderError`.
 */
export async function openFolder(options: FolderOptions): Promise<OpenFolder> {
  const { dataDir, clock, bookmarks, news } = options;
  const lock = await becomeWriter(dataDir, options);
  let opened: Store | undefined;
  const close = async (): Promise<void> => {
    await opened?.close();
    lock.release();
  };
  try {
    await finishMigration(dataDir);
    const { lost, take, settle, acknowledge } = collectLost(news);
    const kind = (await findStore(dataDir)) ?? (await options.chooseStore());
    const logs = await openStore(dataDir, kind, {
      torn: (torn) => news({ type: 'torn-write', torn }),
      lost: take,
      damagedList: (kept) => news({ type: 'damaged-list', ...(kept === undefined ? {} : { kept }) }),
    });
    opened = logs;
    const guarded = guardStore(logs, lock, dataDir);
    const adopting = await openAdoptingStore({ store: guarded, directory: dataDir, clock, bookmarks, lost: take });
    opened = adopting.store;
    for (const kept of await keptLossesOf(dataDir, kind)) take(kept);
    await settle(opened);
    return {
      ...adopting,
      lost,
      acknowledgeLosses: () => acknowledge(dataDir, kind),
      announce: (address, door) => writeSign(dataDir, { pid: process.pid, holder: options.holder, address, door }),
      keepFiles: (forest) => keepFiles({ dataDir, clock, news, lock, forest, ...adopting }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface FilesOptions extends Pick<FolderOptions, 'dataDir' | 'clock' | 'news'> {
  lock: HeldLock;
  forest: Forest;
  store: Store;
  adoption: Adoption;
}

async function keepFiles({ dataDir, clock, news, lock, ...parts }: FilesOptions): Promise<FolderFiles> {
  const { forest, store, adoption } = parts;
  const files = await NodeFiles.open({
    directory: dataDir,
    forest,
    store,
    clock,
    files: guardFiles(machineNodeFiles, lock, dataDir),
    takeLedger: (root) => adoption.takeLedger(root),
    report(report) {
      // Problems with its log are reported by the caller that opens it, and a lost lock by the log.
      const isTold = report.type === 'failed' && (isAboutOneLog(report.error) || !lock.isInPlace());
      if (!isTold) news({ type: 'files', report });
    },
  });
  return {
    check: (root) => files.checkRoot(root),
    recheck: (root) => files.recheckRoot(root),
    async quarantined() {
      // Waits for files that are about to be quarantined; files that cannot be written are reported elsewhere.
      await files.flush().catch(() => {});
      return files.quarantined();
    },
    forget: (forgotten, rewrite) => files.forget(forgotten, rewrite),
    watch: () => void files.start(),
    async close() {
      if (adoption.roots.length > 0) news({ type: 'adopted', roots: adoption.roots });
      await files.close();
    },
  };
}
