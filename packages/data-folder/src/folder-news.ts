/** What a process that uses a data folder may want to know, as data: each door says it in its own words. */
export type FolderNews =
  /** `aside`: where the contents from before are. */
  { type: 'restoration-completed'; folder: string; aside?: string };

export type TellFolderNews = (news: FolderNews) => void;
