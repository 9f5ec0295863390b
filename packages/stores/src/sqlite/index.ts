export { openSqliteStore } from './open.ts';
export type { SqliteStoreOptions } from './open.ts';
