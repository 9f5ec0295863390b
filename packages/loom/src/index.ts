export { openLoom } from './open-loom.ts';
export type { Loom, OpenLoomOptions } from './open-loom.ts';
