import type { QuarantinedFile } from './intake/quarantine.ts';

/** A report about the files for users. Paths are below the data directory. */
export type FilesReport =
  /** An edit by hand was merged into the log, as this change of agent `filesystem`. */
  | { type: 'merged'; root: string; file: string; seq: number }
  | { type: 'quarantined'; root: string; quarantined: QuarantinedFile }
  /** A missing file is written again. */
  | { type: 'restored'; root: string; file: string }
  /** A file that belongs to no node of the log; it is left alone. `denied`: the system's error when it is read. */
  | { type: 'unknown'; root: string; file: string; denied?: string }
  /** A newer Loom has written it: it is left alone, and its node is kept in the log only. */
  | { type: 'newer'; root: string | undefined; file: string; format: number }
  /** A caller waits until everything is written, and `left` nodes remain. */
  | { type: 'writing'; root: string; left: number }
  /** A read or write failed; it is tried again. The log is not affected. */
  | { type: 'failed'; root: string | undefined; error: unknown };
