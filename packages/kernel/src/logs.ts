// What packages need that work on logs below the engine: stores, node files, the examination of a folder.
export { headsOfBoth } from './head-pages.ts';
export { setUnreadableAside } from './log/unreadable-changes.ts';
export type { UnreadableChange } from './log/unreadable-changes.ts';
export type { Change, ChangeCodec } from './log/change.ts';
export type { Decision } from './log/log-shape.ts';
export { forestCodec, forestLogName } from './state/forest-codec.ts';
export { sourceInfo, usage } from './state/node-metadata.ts';
export { rootCodec } from './state/root-codec.ts';
export { Forest } from './forest/forest.ts';
export type { DecideRoot, RootLog } from './forest/forest.ts';
export { refuseUnfinished } from './forest/editing/obstacles.ts';
export { nodeFormat } from './forest/reading/node-json.ts';
export { headOfRoot, isWrongHead } from './forest/root-head.ts';
export { readHeads } from './forest/root-pages.ts';
export { isTreeOp, origin } from './op.ts';
export type { ForestOp, NodeFields, NodeSeed, RootOp } from './op.ts';
export { blocksWithoutTurn } from './turn/holding/recovery.ts';
export { outsourceLarge } from './turn/output/large-output.ts';
