// Codex: its session files on disk, the output of `codex exec --json` and of `codex app-server`, and listening to it while it runs.
export { errorOf, factOf, readServerLine } from './live/app-server-facts.ts';
export type { CodexError, ServerFact, ServerLine, TurnEnd } from './live/app-server-facts.ts';
export { createAppServerReader } from './live/app-server-reader.ts';
export type { AppServerReader } from './live/app-server-reader.ts';
export { createExecReader } from './exec-reader.ts';
export type { ExecEnding, ExecFacts, ExecReader } from './exec-reader.ts';
export { LiveThread } from './live/live-thread.ts';
export type { GrowingOutput, GrowingWords } from './live/live-thread.ts';
export { recognizesExec, recognizesRollout } from './recognizing.ts';
export { createRolloutReader, rolloutBase } from './rollout-reader.ts';
export type { RolloutFacts, RolloutPlace, RolloutReader } from './rollout-reader.ts';
export type { RolloutBase } from './session-meta.ts';
export { emptySession } from './written-session.ts';
