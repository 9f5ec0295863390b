export { errorCode, nodeDisk } from './disk.ts';
export type { Disk, FileStatus, OpenFile } from './disk.ts';
export { isLocked, LockTimeout, takeLock, withLock } from './lock.ts';
export type { HeldLock, TakenLock, TakeLock } from './lock.ts';
export { followLinks, readIfThere, replaceFile } from './replace-file.ts';
export type { Replacement, ReplaceResult } from './replace-file.ts';
export { FolderError } from '../folder-error.ts';
export type { FolderProblem } from '../folder-error.ts';
