export { dangerOf } from './danger.ts';
export { offeredScopes, reachWords, ruleSentence } from './rule-words.ts';
export type { OfferedScope, RulePiece, ToldRule } from './rule-words.ts';
