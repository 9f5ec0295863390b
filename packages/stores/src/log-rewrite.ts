import type { LogRecord } from '@loom/kernel/store';

/** Other records for a log, by what is known of it. */
export interface LogRewrite {
  log: string;
  epoch: string;
  /** Where the log ends; what another process has written since is not overwritten. */
  lastSeq: number;
  records: readonly LogRecord[];
  /** The number that its readers have to know, as in an append. */
  format?: number;
}

/** What stands in a log that may be damaged, for rewriting it. */
export interface DamagedLog extends LogRewrite {
  /** Texts that belong to none of the records. */
  strays: readonly string[];
}
