export { isLegacyMessage, legacyToContentBlocks, normalizeMessage } from './legacy-message.ts';
export type { LegacyMessage } from './legacy-message.ts';
export { fromOpenAIMessages } from './openai-reading.ts';
export { refusalReason } from './openai-shapes.ts';
export { toOpenAIMessages } from './openai-writing.ts';
export { toLegacyMessage } from './to-legacy-message.ts';
export { readMedia } from './openai-media.ts';
export { keepToolArguments, parseToolArguments, ToolArgumentParseError } from './tool-arguments.ts';
export type { ToolArguments } from './tool-arguments.ts';
