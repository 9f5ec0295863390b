import type { LogRewrite } from '@loom/kernel/store';

/** The contents of a log that may be damaged, for rewriting it. */
export interface DamagedLog extends LogRewrite {
  /** Texts that belong to none of the records. */
  strays: readonly string[];
}
