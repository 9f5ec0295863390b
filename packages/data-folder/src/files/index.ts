export { errorCode, nodeDisk } from './disk.ts';
export type { Disk, OpenFile } from './disk.ts';
export { LockTimeout, withLock } from './lock.ts';
export type { TakeLock } from './lock.ts';
export { followLinks, readIfThere, replaceFile } from './replace-file.ts';
export { FolderError } from '../folder-error.ts';
export type { FolderProblem } from '../folder-error.ts';
