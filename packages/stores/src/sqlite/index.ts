export { corruptAdvice } from './failures.ts';
export { checkIntegrity } from './upkeep/integrity-check.ts';
export { acknowledgeLosses, findDatabase, inspectLosses, keptLosses } from './upkeep/losses.ts';
export { sqliteMaintenance } from './upkeep/maintenance.ts';
export { openSqliteStore } from './open.ts';
export { sizesOf } from './upkeep/size-report.ts';
export { openSqliteTextIndex } from './search/text-index.ts';
export type { SqliteTextIndex } from './search/text-index.ts';
