// Taking in the histories of other programs: finding them, reading them, following them.
export { createImportPort } from './import-port.ts';
export type { ImportPortOptions } from './import-port.ts';
export type { Home } from './known-sources.ts';
export type { DocumentInput, ForeignFormat, FoundFile } from './format.ts';
