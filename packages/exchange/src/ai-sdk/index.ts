export type { ReadConversation, SystemDetails } from './conversation.ts';
export type { LoadBlob } from './writing/file-writing.ts';
export { fromChatRows } from './reading/from-chat-rows.ts';
export { fromModelMessages } from './reading/from-model-messages.ts';
export { fromUIMessages } from './reading/from-ui-messages.ts';
export type {
  AssistantModelMessage,
  ModelMessage,
  SystemModelMessage,
  ToolModelMessage,
  UserModelMessage,
} from './model-message.ts';
export type { ExchangeNote, NoteReason, TakeNote } from './note.ts';
export { toModelMessages } from './writing/to-model-messages.ts';
export type { ToModelMessagesOptions } from './writing/to-model-messages.ts';
export { toUIMessages } from './writing/to-ui-messages.ts';
export type { ToUIMessagesOptions } from './writing/to-ui-messages.ts';
export type { UIMessage, UIPart } from './ui-message.ts';
