// The parts that agents behind a command line share: how their programs are started, talked to, kept and asked for what they offer.
export { agentEnvironment } from './agent-environment.ts';
export type { EnvironmentWish } from './agent-environment.ts';
export { openChannel, runBriefly } from './agent-program.ts';
export type { AgentProgram, BriefRun } from './agent-program.ts';
export { continuedNote, lostInText } from './continued-note.ts';
export { DecidedCalls } from './decided-calls.ts';
export { KeptAnswer } from './kept-answer.ts';
export { inOrder } from './message-order.ts';
export { endOf, LineChannel } from './line-channel.ts';
export type { LineListener } from './line-channel.ts';
export { remarkOnVersion, versionIn } from './tried-versions.ts';
export type { TriedVersions } from './tried-versions.ts';
export { WarmPool } from './warm-pool.ts';
export type { WarmProcess } from './warm-pool.ts';
