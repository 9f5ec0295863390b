/** Something that is not as it should be, or was not. */
export interface Finding {
  what:
    | 'database'
    | 'log'
    | 'lost-log'
    | 'unlisted-log'
    | 'snapshot'
    | 'counter'
    | 'blob'
    | 'torn-write'
    | 'file'
    | 'quarantine'
    | 'older-data';
  /** A root, a file or a blob. */
  where: string;
  message: string;
  /**
   * `mended`: it was derived from a log and is made again. `shown`: a person may want to look at it; nothing is lost.
   * `broken`: something is missing that nothing else has.
   */
  state: 'mended' | 'shown' | 'broken';
}

/** What an examination came to. */
export interface Examination {
  roots: number;
  nodes: number;
  blobs: number;
  findings: Finding[];
}
