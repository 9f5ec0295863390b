// Claude Code: transcripts on disk and the output of the command.
export { createTranscriptReader } from './transcript-reader.ts';
export type { TranscriptFacts, TranscriptReader } from './transcript-reader.ts';
export type { AgentFacts } from './agents.ts';
export { recognizesTranscriptDocument, transcriptRecords } from './document.ts';
export { createStreamReader } from './stream/stream-reader.ts';
export type { StreamReader } from './stream/stream-reader.ts';
export type { ProvisionalBlock } from './stream/provisional.ts';
export type { PermissionQuestion, RunFact, RunFailure } from './stream/run-facts.ts';
export type { PartFact, StreamFact } from './stream/stream-facts.ts';
export type { Spending } from './stream/spending.ts';
