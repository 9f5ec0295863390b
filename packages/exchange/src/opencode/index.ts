// opencode: its exports, and its storage in files or a database.
export { parseOpencodeExport, readOpencodeSession, recognizesOpencodeExport } from './opencode-session.ts';
export type { OpencodeMessage, OpencodeSession } from './opencode-session.ts';
export { readOpencodeDatabase, readOpencodeStorage, recognizesOpencodeStorage } from './opencode-storage.ts';
export type { DatabaseQuery, StorageFiles } from './opencode-storage.ts';
