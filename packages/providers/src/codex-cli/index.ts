// Codex as a provider: the person's own program, with its own login.
export { createCodexProvider } from './provider.ts';
export type { CodexOptions } from './provider.ts';
