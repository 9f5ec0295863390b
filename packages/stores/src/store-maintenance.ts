import type { TextIndex } from '@loom/kernel/search';
import type { LogRewrite } from '@loom/kernel/store';
import type { DamagedLog } from './log-rewrite.ts';
import type { LostLog } from './lost-log.ts';

/**
 * The upkeep of a store in a data folder. It works on a store that is closed, also on one that is too damaged to be opened; methods that
 * change something are for the process that holds the folder's lock.
 */
export interface StoreMaintenance {
  /** Makes derived data again if its damage keeps the store from being opened. Returns what was mended. */
  mend(now: number): Promise<StoreProblem[]>;
  /** Checks everything. `complaintAbout` returns the problem with the text of a record. */
  check(complaintAbout: (text: string) => string | undefined): Promise<StoreProblem[]>;
  /** Describes the loss of a log as a whole or in part, and what can be done about it. */
  describeLoss(lost: LostLog): string;
  /** Advice about a log that the list of conversations does not name, where there is more to do than to import it again. */
  readonly unlistedAdvice?: string;
  /** Returns the readable contents of a log; `undefined` if there is no such log. */
  readDamaged(log: string): Promise<DamagedLog | undefined>;
  /** Puts other records in the place of those that a log has, which may be damaged; nothing of them is left in any file. */
  rewrite(rewrite: LogRewrite): Promise<void>;
  /** Returns the disk usage of each part where a file holds several things. Others may write meanwhile. */
  sizes?(): StoreUsage;
  /** An index for the texts of the logs. */
  index?(): StoreIndex;
}

/** A problem in a store, present or mended. */
export interface StoreProblem {
  what: 'database' | 'log' | 'lost-log' | 'snapshot' | 'counter' | 'torn-write';
  /** A log, or a file. */
  where: string;
  message: string;
  /**
   * `mended`: it was derived from a log and is made again. `shown`: a person may want to look at it; nothing is lost.
   * `broken`: something is missing that nothing else has.
   */
  state: 'mended' | 'shown' | 'broken';
}

/** The number of bytes of each kind of content. */
export interface StoreUsage {
  log: number;
  snapshots: number;
  otherDerived: number;
  unused: number;
  writeAheadLog: number;
}

/** An index that is brought up to date in the background. */
export interface StoreIndex extends TextIndex {
  start(): void;
  /** Indexes new changes from now on, within a second, until it is closed. */
  follow(): void;
  /** Waits until it is up to date, for so many milliseconds at most. */
  ready(milliseconds: number): Promise<unknown>;
}
