// The exports of chat products, and Loom's own.
export { chatFormats } from './chat-formats.ts';
export type { ChatDocumentFormat, ChatLineFormat } from './chat-formats.ts';
export { ChatExportError } from './chat-export-error.ts';
export type { ChatProduct } from './read-chats.ts';
