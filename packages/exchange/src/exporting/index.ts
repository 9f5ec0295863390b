// Conversations as other programs and people read them.
export { claudeSession } from './claude-session.ts';
export { createExportPort } from './export-port.ts';
export type { ExportPortOptions } from './export-port.ts';
export { codexSession } from './codex-session.ts';
export { htmlExport } from './html/html.ts';
export { loomLinesExport } from './loom-lines.ts';
export { markdownExport } from './markdown.ts';
export { messagesExport } from './arrays/message-arrays.ts';
export type { ArrayFormat } from './arrays/message-arrays.ts';
export type { ExportedOrigin, NativeOptions, NativeSession } from './native-session.ts';
export type { ExportNote } from './note.ts';
export { createSessionPort } from './session-port.ts';
export { exportSource } from './source.ts';
export type { ExportedRoot, ExportRange, ExportSource } from './source.ts';
