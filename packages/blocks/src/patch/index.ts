export { planPatch } from './patch-plan.ts';
export { diffTexts, formatDiff } from './unified-diff.ts';
export { readPatch } from './patch-text.ts';
export type { Hunk } from './hunk.ts';
