export type { FilesPort, OpenFile } from '../files-port.ts';
export { FileSystemStore } from './file-system-store.ts';
export { openFileSystemStore } from './open.ts';
export type { FileSystemStoreOptions } from './open.ts';
