export type { FilesPort, OpenFile } from '../files-port.ts';
export { FileSystemStore } from './file-system-store.ts';
export { checkLogFiles } from './log-files-check.ts';
export type { LogFilesProblem } from './log-files-check.ts';
export type { LostLog, TornWrite } from './log-file.ts';
export { holdsLogFiles, openFileSystemReader, openFileSystemStore } from './open.ts';
export type { FileSystemStoreOptions } from './open.ts';
export { rewriteLogFiles } from './rewrite-logs.ts';
export type { LogRewrite } from '../log-rewrite.ts';
