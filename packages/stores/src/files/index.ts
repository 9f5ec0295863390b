export { isListDamaged, putDamagedListAside, withoutList } from './damaged-list.ts';
export { FileSystemStore } from './file-system-store.ts';
export { checkLogFiles } from './log-files-check.ts';
export type { TornWrite } from './log-file.ts';
export type { LostLog } from '../lost-log.ts';
export { filesMaintenance } from './maintenance.ts';
export { holdsLogFiles, openFileSystemReader, openFileSystemStore } from './open.ts';
export type { DamagedLog, LogRewrite } from '../log-rewrite.ts';
