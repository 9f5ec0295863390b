export { usage, sourceInfo } from './node-metadata.ts';
export type { SourceInfo, Usage } from './node-metadata.ts';
export type { Clock, Hash, Ids } from './ports.ts';
export type {
  FinishReason,
  Provider,
  ProviderEvent,
  ProviderRequest,
  StreamedField,
  ToolDescription,
} from './provider.ts';
export { StopController } from './stop-signal.ts';
export type { StopSignal } from './stop-signal.ts';
export { StoreError } from './store.ts';
export type { AppendRequest, AppendResult, LogContents, LogRecord, Store, StoreCapabilities } from './store.ts';
export type { Tool, ToolInvocation, ToolOutcome, ToolPermission } from './tool.ts';
export type { Change, ChangeCodec } from './change.ts';
export { createChangeCodec } from './change.ts';
export type { Cursor, FeedEvent } from './feed.ts';
export { Forest } from './forest/forest.ts';
export type { ForestOptions, RootLog } from './forest/forest.ts';
export type { AppendParams, AppendValue } from './forest/append.ts';
export { diffBranches } from './forest/branch-diff.ts';
export type { BlockDifference, BranchDiff, PlacedBlock } from './forest/branch-diff.ts';
export type { EditNodeValue } from './forest/edit-node.ts';
export { nodeFormat, nodeJson } from './forest/node-json.ts';
export type { NodeJson } from './forest/node-json.ts';
export { recentLeaves, siblingsOf, subtree, topology } from './forest/queries.ts';
export type { TopologyNode } from './forest/queries.ts';
export { isVisible, liveChildren, pathTo } from './forest/tree.ts';
export type { EditNodeParams } from './forest/edit-node.ts';
export type { BlockEdit, Resolution } from './forest/forest.ts';
export type { ForkParams, ForkValue } from './forest/fork.ts';
export type { BookmarkParams, MarkNodeParams, MarkRootParams } from './forest/marks.ts';
export type { MoveParams } from './forest/move.ts';
export type { Place } from './forest/node-id.ts';
export type { RemoveParams, RemoveValue } from './forest/remove.ts';
export type { RootSummary } from './forest/roots.ts';
export type { UndoValue } from './forest/undo.ts';
export { Log } from './log.ts';
export type { Decision, FeedItem, LogOptions, LogState, Request } from './log.ts';
export { messageOf } from './node-state.ts';
export type { NodeState } from './node-state.ts';
export { forestOp, rootOp } from './op.ts';
export type { ForestOp, NodeFields, NodeSeed, RootConfig, RootOp, TextSplice, ToolState } from './op.ts';
export type { Outcome, Refusal, RefusalReason } from './refusal.ts';
export { RootState } from './root-state.ts';
export type { TurnState } from './root-state.ts';
export { buildContext } from './context/context.ts';
export type { Context } from './context/context.ts';
export { affectedLeaves, costOf, pathWith } from './context/cost.ts';
export type { Cost } from './context/cost.ts';
export type { PrefixHead } from './context/prefix.ts';
export { LoomEngine } from './engine.ts';
export type { EngineOptions, GenerateParams } from './engine.ts';
export type { ApprovalParams, EndReason } from './turn/turn-decisions.ts';
