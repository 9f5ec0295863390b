export { isPostgresUrl, readPostgresUrl } from './address.ts';
export type { PostgresAddress } from './address.ts';
export type { KeptDocument } from './documents.ts';
export { openPostgresStore } from './open.ts';
export type { PostgresStoreOptions } from './open.ts';
export type { PostgresStore } from './postgres-store.ts';
export { openPostgresTextIndex } from './search/text-index.ts';
export type { PostgresTextIndex } from './search/text-index.ts';
