// Codex: its session files on disk, and the output of `codex exec --json`.
export { createExecReader } from './exec-reader.ts';
export type { ExecFacts } from './exec-reader.ts';
export { recognizesExec, recognizesRollout } from './recognizing.ts';
export { createRolloutReader, rolloutBase } from './rollout-reader.ts';
export type { RolloutFacts, RolloutPlace, RolloutReader } from './rollout-reader.ts';
export type { RolloutBase } from './session-meta.ts';
