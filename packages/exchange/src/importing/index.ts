// Importing the histories of other programs: finding them, reading them, following them.
export { createImportPort } from './import-port.ts';
export type { ImportPortOptions } from './import-port.ts';
export type { RecordStore } from './empty-files.ts';
export type { Home } from './known-sources.ts';
export type { DocumentInput, ForeignFormat, FoundFile } from './format.ts';
export { runImport } from './import-run.ts';
export type { ImportRequest, ImportSetup } from './import-run.ts';
export { mayMention } from './kept-bytes.ts';
export { formats } from './formats/formats.ts';
export { Following } from './following.ts';
export type { FollowingOptions } from './following.ts';
export { knownSources } from './known-sources.ts';
export type { KnownSource } from './known-sources.ts';
export { Origins } from './origins.ts';
