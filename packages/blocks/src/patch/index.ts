export { planPatch } from './patch-plan.ts';
export { diffTexts, formatDiff } from './unified-diff.ts';
