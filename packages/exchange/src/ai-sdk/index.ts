export type { ReadConversation, SystemDetails } from './conversation.ts';
export type { LoadBlob } from './file-writing.ts';
export { fromChatRows } from './from-chat-rows.ts';
export { fromModelMessages } from './from-model-messages.ts';
export { fromUIMessages } from './from-ui-messages.ts';
export type {
  AssistantModelMessage,
  ModelMessage,
  SystemModelMessage,
  ToolModelMessage,
  UserModelMessage,
} from './model-message.ts';
export type { ExchangeNote, NoteReason, TakeNote } from './note.ts';
export { toModelMessages } from './to-model-messages.ts';
export type { ToModelMessagesOptions } from './to-model-messages.ts';
export { toUIMessages } from './to-ui-messages.ts';
export type { ToUIMessagesOptions } from './to-ui-messages.ts';
export type { UIMessage, UIPart } from './ui-message.ts';
