export type { EditsNotTaken, FolderNews, TellFolderNews } from './folder-news.ts';
export { findStore, openStore } from './opening/data-store.ts';
export { takeInEdits } from './opening/hand-edits.ts';
export { lookIntoFolder } from './opening/look-into-folder.ts';
export { openFolder } from './opening/open-folder.ts';
export type { FolderOptions } from './opening/open-folder.ts';
export { asOnlyWriter, findWriter, settleRestoration } from './opening/writer-lock.ts';
export type { Writer, WriterDoor } from './opening/writer-lock.ts';
export { restoreFolder } from './restoring/restored-folder.ts';
