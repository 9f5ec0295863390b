import type { AdoptedRoot, FilesReport, NodeFileProblem } from '@loom/node-files';
import type { LostLog, TornWrite } from '@loom/stores/files';

/** News for a process that uses a data folder, as data: each entry point words it for its users. */
export type FolderNews =
  /** `aside`: the folder with the previous contents. */
  | { type: 'restoration-completed'; folder: string; aside?: string }
  /** A write that was cut short has been put aside. */
  | { type: 'torn-write'; torn: TornWrite }
  /** A log, or a part of one, is gone although it was acknowledged. */
  | { type: 'lost-log'; lost: LostLog }
  /** The list of conversations is damaged and rebuilt from them; a writer has kept the old one at `kept`. */
  | { type: 'damaged-list'; kept?: string }
  /** A report about a node file. */
  | { type: 'files'; report: FilesReport }
  /** Node files without a log were adopted. */
  | { type: 'adopted'; roots: readonly AdoptedRoot[] }
  /** Unreadable node files. */
  | { type: 'unreadable-files'; problems: readonly NodeFileProblem[] }
  /** The files of a root could not be examined, so a reader sees the log's version. */
  | { type: 'files-not-examined'; root: string; why: string }
  /** Files of a root were changed and are not merged yet, so a reader sees the log's version. */
  | { type: 'edits-not-taken'; root: string; files: readonly string[]; why: EditsNotTaken };

/**
 * The reason edits wait: `denied`: the system does not let the file be read. `unreadable`: it is not JSON. `older`: it has the format of an older
 * generation, which only a writer merges. `not-writable`: nothing may be written to the folder. `failed`: merging it failed.
 */
export type EditsNotTaken =
  | { reason: 'denied'; message: string }
  | { reason: 'unreadable' }
  | { reason: 'older' }
  | { reason: 'not-writable'; folder: string }
  | { reason: 'failed'; message: string };

export type TellFolderNews = (news: FolderNews) => void;
