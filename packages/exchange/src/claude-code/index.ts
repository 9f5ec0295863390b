// Claude Code: transcripts on disk and the output of the command.
export { createTranscriptReader } from './transcript-reader.ts';
export type { TranscriptFacts, TranscriptReader } from './transcript-reader.ts';
export type { AgentFacts } from './agents.ts';
export { recognizesTranscriptDocument, transcriptRecords } from './document.ts';
export { createStreamReader } from './stream-reader.ts';
export type { StreamReader } from './stream-reader.ts';
export type { ProvisionalBlock } from './provisional.ts';
export type { Spending } from './spending.ts';
