export { billedParts } from './state/billed-parts.ts';
export type { SourceInfo, Usage } from './node-metadata.ts';
export { callErrorCodes } from './provider.ts';
export type {
  AgentStart,
  Approval,
  BegunTurn,
  BranchSession,
  CallError,
  CallErrorCode,
  ChangedFiles,
  FinishReason,
  Provider,
  ProviderCall,
  ProviderEvent,
  ProviderHost,
  ModeChange,
  OfferedModel,
  OfferProblem,
  ProviderOffer,
  ProviderRequest,
  SessionOptions,
  TerminalCommand,
  SessionOutcome,
  SessionRefusal,
  SteeringMessage,
  ToolDescription,
  TrailEntry,
} from './provider.ts';
export type {
  Clock,
  Hash,
  Ids,
  ProcessEnd,
  ProcessLimits,
  ProcessOrder,
  ProcessOutput,
  ProcessPort,
  RuleKeeper,
  RunningProcess,
  SpawnOutcome,
  SpawnRefusal,
} from './ports.ts';
export type { BlobPort, BlobWriter, ByteRange, FinishedBlob } from './blob-port.ts';
export type {
  PreparedCall,
  EarlierCall,
  Tool,
  ToolContext,
  ToolEffect,
  ToolGroup,
  ToolInvocation,
  ToolOutcome,
  ToolOutput,
  ToolPermission,
} from './tool.ts';
export type { OpenedSession, SessionOrder, SessionPort } from './turn/speaking/branch-session.ts';
export { EventWriter } from './turn/speaking/event-writer.ts';
export { openBlock } from './turn/tools/open-block.ts';
export type { Cursor, TextCursor } from './cursor.ts';
export type { FeedEvent, TurnEnd } from './state/feed.ts';
export type { NodeChanges } from './state/node-changes.ts';
export type { EditMode } from './forest/editing/text/edit-node.ts';
export { joinParts, lastPart, messagesOf, partsUpTo } from './forest/editing/text/message-parts.ts';
export { measureTexts } from './forest/reading/text-size.ts';
export type { Home } from './homes/home-name.ts';
export type { HomeNews } from './homes/home-news.ts';
export type { JobFacts, JobHandle } from './jobs/jobs.ts';
export { nodeJson } from './forest/reading/node-json.ts';
export type { NodeJson } from './forest/reading/node-json.ts';
export { deriveTitle } from './forest/derived-title.ts';
export { isOfProgram, noticeOf, openingNode } from './forest/root-head.ts';
export { recentLeaves, subtree } from './state/tree/queries.ts';
export { isVisible, liveChildren, liveDrafts, pathTo, presentNode } from './state/tree/tree.ts';
export type { FeedItem } from './log/log-shape.ts';
export type { Request } from './request.ts';
export { messageOf } from './state/node-state.ts';
export type { NodeState } from './state/node-state.ts';
export type {
  Answer,
  ApprovalMode,
  Ask,
  DecisionScope,
  Notice,
  Origin,
  PermissionRule,
  Question,
  RootConfig,
} from './op.ts';
export { permissionRule } from './op.ts';
export type { LossPort } from './losses.ts';
export type {
  AgentPromptPort,
  CredentialPort,
  FolderPort,
  ScratchPort,
  NamedModel,
  RepositoryFacts,
  PresencePort,
  TitleModelPort,
} from './ports.ts';
export type { CopiesPort, Purged } from './purge/purge-blocks.ts';
export { refusalSchema, refuse, refuseParams } from './refusal.ts';
export type { Outcome, Refusal, RefusalOf, RefusalReason, Refused } from './refusal.ts';
export type { ListedRoot } from './forest/listed-root.ts';
export { modelWords } from './operations/model-words.ts';
export { RootState } from './state/root-state.ts';
export type { TurnState } from './state/root-state.ts';
export { buildContext } from './context/context.ts';
export { visibleBlocks } from './context/visible-blocks.ts';
export { costOf, costOfChange } from './context/cost.ts';
export type { Cost, NodeChange } from './context/cost.ts';
export type { PrefixHead } from './context/prefix.ts';
export { LoomEngine } from './operations/calling/engine.ts';
export type { SpendingLimits } from './turn/spending/spending-limits.ts';
export { promptOf, readRootSettings } from './root-settings.ts';
export { senderOf } from './forest/sender.ts';
export { defineOperation, flatName, jsonSchemaOf, parametersOf, roles } from './operations/operation.ts';
export { patchAnswer, patchAnswerSchema } from './operations/patch-answer.ts';
export type { Caller, Operation, Role } from './operations/operation.ts';
export { dataOperations } from './operations/host/data-operations.ts';
export type { DataPort } from './operations/host/data-operations.ts';
export { archiveReport, exportFormats, exportOperations } from './operations/host/export-operations.ts';
export type {
  ArchiveOrder,
  ArchiveReport,
  ExportAnswer,
  ExportFormat,
  ExportOrder,
  ExportPort,
  FileFormat,
} from './operations/host/export-operations.ts';
export { titleReport } from './operations/listing/title-run.ts';
export type { TitleReport } from './operations/listing/title-run.ts';
export { secretPlace } from './operations/overview/secrets/secret-place.ts';
export type { SecretPlace } from './operations/overview/secrets/secret-place.ts';
export { secretReport } from './operations/overview/secrets/secret-report.ts';
export type { SecretReport } from './operations/overview/secrets/secret-report.ts';
export { importOperations, importReport } from './operations/host/import-operations.ts';
export type { ImportOrder, ImportPort, ImportReport } from './operations/host/import-operations.ts';
export { loginOperations } from './operations/host/login-operations.ts';
export type { LoginAnswer, LoginPort } from './operations/host/login-operations.ts';
export { modelOperations } from './operations/host/model-operations.ts';
export type {
  KeyCheck,
  ModelAnswer,
  ModelEntry,
  ListReach,
  ModelPort,
  PresetsAnswer,
  ProviderAnswer,
} from './operations/host/model-operations.ts';
export { promptOperations } from './operations/host/prompt-operations.ts';
export { longestPrompt, promptContent, promptName } from './prompts/prompt.ts';
export type { PromptFile, PromptPort, PromptSource, SkippedFile } from './prompts/prompt.ts';
export { settingOperations } from './operations/host/setting-operations.ts';
export type { SettingAnswer, SettingPort, SettingValue } from './operations/host/setting-operations.ts';
export { kernelOperations } from './operations/table.ts';
export type { ParamsOf, ResultOf } from './operations/table.ts';
export { refuseCaller, refuseLimited, suffices } from './operations/permission.ts';
export { refuseUnknown } from './operations/calling/call-operation.ts';
export { blockId, nodeId, placeId, rootId } from './forest/ids.ts';
export { rootOfId } from './forest/reading/block-place.ts';
export type { EngineOptions } from './operations/calling/engine.ts';
export type { CallKeeping } from './calls/call-records.ts';
export { layOut } from './calls/wire-text.ts';
export { showsBlob } from './forest/reading/shown-blobs.ts';
export { messageToAnswer } from './turn/message-to-answer.ts';
