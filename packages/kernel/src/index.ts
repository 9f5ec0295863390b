export { usage, sourceInfo } from './state/node-metadata.ts';
export type { SourceInfo, Usage } from './state/node-metadata.ts';
export type { Clock, Hash, Ids } from './ports.ts';
export { callErrorCodes } from './provider.ts';
export type {
  Approval,
  CallError,
  CallErrorCode,
  FinishReason,
  Provider,
  ProviderCall,
  ProviderEvent,
  ProviderRequest,
  SteeringMessage,
  ToolDescription,
  TrailEntry,
} from './provider.ts';
export type { BlobPort } from './blob-port.ts';
export { headsOfBoth } from './head-pages.ts';
export { isAboutOneLog, passOn, StoreError } from './store.ts';
export type {
  AppendRequest,
  AppendResult,
  FoldRequest,
  HeadsRequest,
  ListedLog,
  LogContents,
  LogHead,
  LogRecord,
  Projection,
  ProjectionPart,
  ProjectionRequest,
  Store,
  StoreCapabilities,
} from './store.ts';
export type {
  PreparedCall,
  Tool,
  ToolContext,
  ToolInvocation,
  ToolOutcome,
  ToolOutput,
  ToolPermission,
} from './tool.ts';
export { EventWriter } from './event-writer.ts';
export { openBlock } from './tool-output.ts';
export type { OpenBlock } from './tool-output.ts';
export type { Change, ChangeCodec } from './log/change.ts';
export { forestCodec, forestLogName } from './state/forest-codec.ts';
export { setUnreadableAside } from './log/unreadable-changes.ts';
export type { UnreadableChange } from './log/unreadable-changes.ts';
export { rootCodec } from './state/root-codec.ts';
export type { Cursor, FeedEvent, TextCursor } from './feed.ts';
export { Forest } from './forest/forest.ts';
export type { DecideRoot, RootLog } from './forest/forest.ts';
export type { BlockDifference, PlacedBlock } from './forest/reading/branch-diff.ts';
export type { EditMode } from './forest/editing/edit-node.ts';
export { joinParts, lastPart, messagesOf, partsUpTo } from './forest/editing/message-parts.ts';
export { nodeFormat, nodeJson } from './forest/reading/node-json.ts';
export type { NodeJson } from './forest/reading/node-json.ts';
export { recentLeaves, subtree } from './forest/reading/queries.ts';
export { refuseUnfinished } from './forest/editing/obstacles.ts';
export { isVisible, liveChildren, pathTo } from './forest/reading/tree.ts';
export type { Place } from './forest/node-id.ts';
export { headOfRoot, isWrongHead } from './forest/root-head.ts';
export { readHeads } from './forest/root-pages.ts';
export { Log } from './log/log.ts';
export type { Decide, Decision, FeedItem, LogOptions } from './log/log.ts';
export type { Request } from './log/request.ts';
export { messageOf } from './state/node-state.ts';
export type { NodeState } from './state/node-state.ts';
export { isTreeOp, origin } from './op.ts';
export type { ApprovalMode, Ask, ForestOp, NodeFields, NodeSeed, Origin, RootConfig, RootOp, ToolState } from './op.ts';
export { refusalSchema, refuse, refuseParams } from './refusal.ts';
export type { Outcome, Refusal, RefusalOf, RefusalReason, Refused, Written } from './refusal.ts';
export { nextStepSchema } from './next-step.ts';
export type { NextStep } from './next-step.ts';
export { modelWords } from './operations/model-words.ts';
export { RootState } from './state/root-state.ts';
export type { TurnState } from './state/root-state.ts';
export { buildContext } from './context/context.ts';
export type { Context } from './context/context.ts';
export { costOf, costOfChange } from './context/cost.ts';
export type { Cost, NodeChange } from './context/cost.ts';
export type { PrefixHead } from './context/prefix.ts';
export { LoomEngine } from './engine.ts';
export { defineOperation, flatName, parametersOf } from './operations/operation.ts';
export { patchAnswer, patchAnswerSchema } from './operations/patch-answer.ts';
export type { PatchAnswer } from './operations/patch-answer.ts';
export type { Caller, Calls, Door, Effect, Operation, Role } from './operations/operation.ts';
export { kernelOperations } from './operations/table.ts';
export type { KernelCalls, ParamsOf, ResultOf } from './operations/table.ts';
export { refuseUnknown } from './operations/call-operation.ts';
export { blockId, nodeId, placeId, rootId } from './operations/ids.ts';
export { blocksWithoutTurn } from './turn/holding/recovery.ts';
export type { EngineOptions } from './engine.ts';
export type { RecordCall } from './turn/turn-runner.ts';
export { messageToAnswer } from './turn/message-to-answer.ts';
export { BlockTools } from './block-tools/block-tools.ts';
export type { SharedText } from './block-tools/block-tools.ts';
export type { BlockMatches, BlockSearchResult } from './search/block-search.ts';
