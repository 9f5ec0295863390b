/** The reason an archive could not be exported or imported. The failure loses nothing that was there before. */
export class ArchiveError extends Error {
  readonly code: ArchiveErrorCode;
  /** Advice for the user. */
  readonly advice: string;

  constructor(code: ArchiveErrorCode, message: string, advice: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'ArchiveError';
    this.code = code;
    this.advice = advice;
  }
}

export type ArchiveErrorCode =
  /** The file is something else. */
  | 'archive-foreign'
  /** A later version of Loom has written it. */
  | 'archive-newer'
  /** The file ends too early. */
  | 'archive-cut'
  | 'archive-damaged'
  /** A line, a blob or a nesting beyond the limits. */
  | 'archive-too-large'
  /** A conversation in it has an id that none can have. */
  | 'archive-unsafe'
  /** The store has other changes in the place of those of the archive. */
  | 'archive-diverged'
  /** An increment whose base the store does not have. */
  | 'archive-base-missing'
  /** An increment is asked for since something that the store no longer has. */
  | 'archive-cursor-stale'
  /** Another process has written to the log at the same time, or replaced it. */
  | 'archive-log-busy';

/** The error for an archive that differs from what was written. */
export function damaged(what: string, options?: ErrorOptions): ArchiveError {
  return new ArchiveError(
    'archive-damaged',
    `the archive is damaged: ${what}`,
    'Use another copy of it, or an earlier archive.',
    options,
  );
}

/** Folders and files are named after roots, so an id may be no path and no name of Loom's own files. */
export function unsafe(root: string): ArchiveError {
  return new ArchiveError(
    'archive-unsafe',
    `the archive holds a conversation with the id ${JSON.stringify(root)}, which is a path or the name of a file of Loom's own`,
    'Loom makes no such ids. Nothing was taken in; use an archive that comes from Loom.',
  );
}

export function tooLarge(what: string): ArchiveError {
  return new ArchiveError(
    'archive-too-large',
    `the archive holds something that Loom does not read: ${what}`,
    'Loom writes nothing like that. Use another copy of the archive.',
  );
}
