export { agentId, encodeAgentId, modelAgentId } from './agent.ts';
export { AppendBuffer, appendDelay } from './text/append-buffer.ts';
export { fromBase64, toBase64 } from './text/base64.ts';
export { cleanText, isBlank } from './text/clean-text.ts';
export { carryLineEdits } from './lines/carried-edits.ts';
export { planLineEdits } from './lines/line-edits.ts';
export type { LineOperation } from './lines/line-operation.ts';
export { lineCount, readLines } from './lines/lines.ts';
export { secretShapes } from './secrets/by-shape.ts';
export type { FoundSecret } from './secrets/by-shape.ts';
export { findSecrets, maskFound, withoutSecrets } from './secrets/find-secrets.ts';
export { findKeys, maskSecret } from './secrets/known-keys.ts';
export { diffSplices } from './text/text-difference.ts';
export { mergeText } from './text/text-merge.ts';
export { mergeSplices, spliceText } from './text/text-splice.ts';
export type { TextSplice } from './text/text-splice.ts';
export { beginningOf, encodeUtf8, endOf, utf8Length } from './text/utf8.ts';
export { unitAt } from './text/unit-at.ts';
export { coalesceTextOnlyAdjacent } from './coalescing.ts';
export type { MessageInSequence } from './coalescing.ts';
export { commonPrefix, messagesEqual, normalizeForComparison } from './comparison.ts';
export {
  assistantBlock,
  blobId,
  contentBlock,
  fileChangeBlock,
  messageBlock,
  textBlock,
  todoItem,
  toolBlock,
  userBlock,
} from './content-block.ts';
export type {
  AssistantBlock,
  BlobReference,
  LongOutput,
  CodeBlock,
  CommandBlock,
  ContentBlock,
  ConversationBlock,
  ErrorBlock,
  FileBlock,
  FileChange,
  FileChangeBlock,
  ImageBlock,
  MessageBlock,
  RawBlock,
  Source,
  SourcesBlock,
  TextBlock,
  ThinkingBlock,
  TodoBlock,
  TodoItem,
  ToolBlock,
  ToolUseBlock,
  UserBlock,
} from './content-block.ts';
export { contentFields } from './content-fields.ts';
export { editableText, withAppended, withOutput, withText } from './editable-text.ts';
export type { StreamedField } from './editable-text.ts';
export { stableDeepEqual } from './values/equality.ts';
export { FormatError } from './values/format-error.ts';
export {
  isAssistantBlock,
  isAssistantMessage,
  isContentBlock,
  isMessage,
  isTextOnly,
  isToolBlock,
  isToolMessage,
  isUserBlock,
  isUserMessage,
  parseBlock,
  parseMessage,
  toolUsesOf,
} from './guards.ts';
export { continuationIn, continuationWords, continuedWords, waysToContinue } from './continuation.ts';
export type { Continuation } from './continuation.ts';
export { isJson } from './values/json.ts';
export { copyJson } from './values/json-copy.ts';
export { describeProblems, formatProblems, problemsOf } from './values/schema-problem.ts';
export type { ValueProblem } from './values/schema-problem.ts';
export { renderBlockAsMarkdown, renderMessageAsMarkdown } from './rendering/markdown-rendering.ts';
export { assistantMessage, message, toolMessage, userMessage } from './message.ts';
export type { AssistantMessage, Message, Role, ToolMessage, UserMessage } from './message.ts';
export { blocksShownToModel } from './rendering/model-view.ts';
export type { ModelBlock } from './rendering/model-view.ts';
export { isNonEmpty } from './values/non-empty-array.ts';
export type { NonEmptyArray } from './values/non-empty-array.ts';
export { isPlainObject } from './values/plain-object.ts';
export type { PlainObject } from './values/plain-object.ts';
export { saidContent, saysNothing, saysSame } from './said-content.ts';
export type { SaidContent } from './said-content.ts';
export { blockStatus, cleanObject, cleanString, plainObject, providerData } from './record-fields.ts';
export type { BlockStatus } from './record-fields.ts';
export { blockKind, blockKinds } from './block-kinds.ts';
export { acceptBlock, acceptedSpellings, acceptMessage, canonicalType } from './spelling.ts';
export { commandWords } from './rendering/command-words.ts';
export { fullPathIn, homeAround, isAbsolutePath, pathWords, splitPath } from './rendering/path-words.ts';
export type { PathBase } from './rendering/path-words.ts';
export { personWords } from './rendering/person-words.ts';
export { toldApart } from './rendering/told-apart.ts';
export { programNotice, programNoticeKind } from './rendering/program-notice.ts';
export { renderBlockAsText, renderOutput } from './rendering/text-rendering.ts';
export { clampMaxTokens, estimateInputTokens, usualOutput } from './rendering/token-budget.ts';
export type {
  Catalogue,
  ClampOptions,
  EstimateOptions,
  ModelCaps,
  Tokenizer,
  TokenPrice,
} from './rendering/token-budget.ts';
export type { PastCall, Pricing } from './pricing.ts';
export { deniedBlock, deniedText, denialReason, interruptedText, isDenied } from './tool-outcome.ts';
export { isPurged, looksMasked, maskBlock, maskText, purgedWords } from './text/masked-text.ts';
