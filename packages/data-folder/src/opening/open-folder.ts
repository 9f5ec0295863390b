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
  /** What shall keep the logs; asked if there are none yet. */
  chooseStore: () => Promise<StoreKind>;
  /** The bookmarks that older generations kept outside of their folders. */
  bookmarks: () => Promise<SpelledBookmark[]>;
  news: TellFolderNews;
}

/** A data folder that this process alone writes to, until it is closed. */
export interface OpenFolder {
  readonly store: Store;
  /** What was found in node files that had no log. */
  readonly adoption: Adoption;
  /** Logs that turned out to be gone although something in them had been acknowledged, by name. */
  readonly lost: ReadonlyMap<string, LostLog>;
  /** A person knows of the lost logs: they are told no longer. Returns how many they were. */
  acknowledgeLosses(): Promise<number>;
  /** Keeps files beside the logs that people can read and edit, from now on. */
  keepFiles(forest: Forest): Promise<FolderFiles>;
  /** Tells other processes that want to write where this one can be talked to, and lets them in with what only this user can read. */
  announce(address: string, door: WriterDoor): Promise<void>;
  /** Closes the store, and lets the next writer in. Idempotent. */
  close(): Promise<void>;
}

/** The readable files of an open folder. */
export interface FolderFiles {
  /** Takes in what other programs have written into the files of a root. */
  check(root: string): Promise<void>;
  /** Reads every node file of a root again, and puts right what is not as the log has it. */
  recheck(root: string): Promise<void>;
  /** Node files that could not be taken in, and where they are kept. */
  quarantined(): Promise<QuarantinedFile[]>;
  /** Removes the files of what is purged, has the logs rewritten while nothing of these roots is taken in or written, and writes the files again. */
  forget<T>(forgotten: ForgottenNodes, rewrite: () => Promise<T>): Promise<T>;
  /** Takes in edits as they are made, from now on. */
  watch(): void;
  /** Writes what is left to write. */
  close(): Promise<void>;
}

/**
 * Opens a data folder as its only writer, and makes it if it is not there: takes the lock, completes a restoration or migration that was
 * cut short, opens the logs and takes over node files that have none. A second writer is refused with a `FolderError`.
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
      // What is wrong with its log is told by the caller that opens it, and a lock that was lost by the log.
      const isTold = report.type === 'failed' && (isAboutOneLog(report.error) || !lock.isInPlace());
      if (!isTold) news({ type: 'files', report });
    },
  });
  return {
    check: (root) => files.checkRoot(root),
    recheck: (root) => files.recheckRoot(root),
    async quarantined() {
      // What is about to be put aside is waited for; what cannot be written is reported by itself.
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
