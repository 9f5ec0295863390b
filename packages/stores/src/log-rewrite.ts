import type { LogRewrite } from '@loom/kernel/store';

/** What stands in a log that may be damaged, for rewriting it. */
export interface DamagedLog extends LogRewrite {
  /** Texts that belong to none of the records. */
  strays: readonly string[];
}
