import { chatFormats } from '../../chats/chat-formats.ts';
import type { ForeignFormat } from '../format.ts';
import { agentFormats } from './agent-formats.ts';
import { claudeCodeDocumentFormat, claudeCodeFormat } from './claude-code-format.ts';
import { codexFormat } from './codex-format.ts';

/** Every form of history that can be read. The first that recognizes a file reads it. */
export const formats: readonly ForeignFormat[] = [
  claudeCodeFormat,
  claudeCodeDocumentFormat,
  codexFormat,
  ...agentFormats,
  ...chatFormats,
];
