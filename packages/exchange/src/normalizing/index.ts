// The histories of other programs as messages, one after the other, for pipelines.
export { isNormalizedKind, normalizedKinds } from './kinds.ts';
export type { NormalizedKind } from './kinds.ts';
export { normalize } from './normalize.ts';
