// The items that readers of other programs' histories return, and the code they share.
export { Tally } from './foreign.ts';
export type {
  ForeignBlock,
  ForeignConversation,
  ForeignItem,
  ForeignNode,
  LineReader,
  TallyCounts,
} from './foreign.ts';
export { readJsonLine } from './json-line.ts';
export type { JsonLine } from './json-line.ts';
export { keepPictures } from './kept-pictures.ts';
export { LineSplitter, longestLine } from './line-splitter.ts';
export type { SplitterEvents } from './line-splitter.ts';
