export { blobsIn } from './cited-blobs.ts';
export { measureUsage, usageParts } from './disk-usage.ts';
export { EchoSearch } from './echo-search.ts';
export type { Echo } from './echo-search.ts';
export { inSegments } from './log-segments.ts';
export { maintenanceOf } from './store-maintenance.ts';
