import type { AdoptedRoot, FilesReport, NodeFileProblem } from '@loom/node-files';
import type { LostLog, TornWrite } from '@loom/stores/files';

/** What a process that uses a data folder may want to know, as data: each door says it in its own words. */
export type FolderNews =
  /** `aside`: where the contents from before are. */
  | { type: 'restoration-completed'; folder: string; aside?: string }
  /** A write that was cut short has been put aside. */
  | { type: 'torn-write'; torn: TornWrite }
  /** A log is gone, or a part of one, of which more had been acknowledged. */
  | { type: 'lost-log'; lost: LostLog }
  /** The list of conversations is damaged and made again of them; a writer has kept it at `kept`. */
  | { type: 'damaged-list'; kept?: string }
  /** Something happened to a node file. */
  | { type: 'files'; report: FilesReport }
  /** Node files without a log were taken over. */
  | { type: 'adopted'; roots: readonly AdoptedRoot[] }
  /** Node files that cannot be read. */
  | { type: 'unreadable-files'; problems: readonly NodeFileProblem[] }
  /** The files of a root could not be looked at, so a reader sees what the log says. */
  | { type: 'files-not-examined'; root: string; why: string }
  /** Files of a root were changed and are not taken in yet, so a reader sees what the log says. */
  | { type: 'edits-not-taken'; root: string; files: readonly string[]; why: EditsNotTaken };

/**
 * Why edits wait: `denied`: the system does not let the file be read. `unreadable`: it is not JSON. `older`: it has the format of an older
 * generation, which only a writer takes in. `not-writable`: nothing may be written to the folder. `failed`: taking it in failed.
 */
export type EditsNotTaken =
  | { reason: 'denied'; message: string }
  | { reason: 'unreadable' }
  | { reason: 'older' }
  | { reason: 'not-writable'; folder: string }
  | { reason: 'failed'; message: string };

export type TellFolderNews = (news: FolderNews) => void;
