export {
  anyAssistantBlock,
  anyAssistantMessage,
  anyCharacters,
  anyJson,
  anyMessage,
  anyParameters,
  anyText,
  anyTextMessage,
  anyToolBlock,
  anyToolMessage,
  anyToolUse,
  anyUserBlock,
  anyUserMessage,
} from './arbitraries.ts';
export { findCorpus, runs } from './corpus.ts';
export { endOfShare, rounds, sampled, sampleOfRun, tellTried } from './rounds.ts';
export type { Corpus } from './corpus.ts';
