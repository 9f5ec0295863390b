// Claude Code as a provider: the person's own program, spoken with live.
export { createClaudeProvider } from './provider.ts';
export type { ClaudeOptions } from './provider.ts';
