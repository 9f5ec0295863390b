export { findNodes, findNodesOrThrow, readDirectory, resolveNode } from './reading/read-directory.ts';
export type { LegacyDirectory, LegacyRoot, NodeResolution } from './reading/read-directory.ts';
export { importRoot } from './adoption/import-root.ts';
export type { ImportedRoot, ImportOutcome } from './adoption/import-root.ts';
export { loadNode, loadNodeOrThrow } from './reading/node-file.ts';
export type { NodeFile, NodeLinks, NodeReading } from './reading/node-file.ts';
export type { LegacyNode } from './reading/node-links.ts';
export type { NodeMetadata } from './reading/node-metadata.ts';
export { NodeFileError } from './problem.ts';
export type { BadToolArguments, NodeFileCode, NodeFileProblem, ProblemEffect } from './problem.ts';
export { digestLegacyRoot, digestRoot, verifyRoot } from './adoption/root-digest.ts';
export type { RootDigest, Verification } from './adoption/root-digest.ts';
export type { RootEntry } from './reading/read-roots-json.ts';
export { adoptDirectory, openAdoptingReader, openAdoptingStore } from './adoption/adopting-store.ts';
export { Adoption } from './adoption/adoption.ts';
export type { AdoptedRoot, AdoptionOptions, SpelledBookmark } from './adoption/adoption.ts';
export { migrateDirectory } from './migration/migrate-directory.ts';
export type {
  MigrationOptions,
  MigrationRefusal,
  MigrationReport,
  MigrationResult,
} from './migration/migrate-directory.ts';
export { finishMigration } from './migration/migrate-files.ts';
export type { FilesReport } from './files-report.ts';
export { findChangedFiles } from './intake/changed-files.ts';
export type { ChangedFiles } from './intake/changed-files.ts';
export { forgetFiles, forgetRoot } from './forget-files.ts';
export { NodeFiles } from './node-files.ts';
export type { NodeFilesOptions } from './node-files.ts';
export { machineNodeFiles } from './node-files-port.ts';
export type { DirectoryWatch, FileStamp, NodeFilesPort } from './node-files-port.ts';
export { Quarantine } from './intake/quarantine.ts';
export type { QuarantinedFile, QuarantineReason } from './intake/quarantine.ts';
