export { isListDamaged, putDamagedListAside, withoutList } from './upkeep/damaged-list.ts';
export { FileSystemStore } from './file-system-store.ts';
export { acknowledgeLosses, keptLosses } from './upkeep/kept-losses.ts';
export { checkLogFiles } from './upkeep/log-files-check.ts';
export type { TornWrite } from './log/log-file.ts';
export type { LostLog } from '../lost-log.ts';
export { filesMaintenance } from './upkeep/maintenance.ts';
export { holdsLogFiles, openFileSystemReader, openFileSystemStore } from './open.ts';
export type { DamagedLog } from '../log-rewrite.ts';
