// The histories of other programs as a sequence of messages, for pipelines.
export { isNormalizedKind, normalizedKinds } from './kinds.ts';
export type { NormalizedKind } from './kinds.ts';
export { normalize } from './normalize.ts';
