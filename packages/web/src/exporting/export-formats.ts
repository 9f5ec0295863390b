import type { ParamsOf } from '@loom/kernel';

/** The forms that are files, for one conversation or for many. */
type FileFormat = ParamsOf<'export.archive'>['format'];

/** Forms in which a conversation is saved as a file. */
export const fileFormats: readonly { readonly format: FileFormat; readonly name: string; readonly about: string }[] = [
  { format: 'markdown', name: 'Markdown', about: 'For reading and editing' },
  { format: 'html', name: 'HTML', about: 'One page that needs no server and runs no script' },
  { format: 'jsonl', name: 'JSON lines', about: 'Everything that Loom knows; imported again it is the same tree' },
  { format: 'openai', name: 'OpenAI messages', about: 'An array for the chat API' },
  { format: 'anthropic', name: 'Anthropic messages', about: 'An array for the messages API' },
  { format: 'ai-sdk', name: 'AI SDK messages', about: 'An array for the AI SDK' },
];

/** Programs that go on with a branch in a terminal. */
export const sessionFormats: readonly { readonly format: 'claude-code' | 'codex'; readonly name: string }[] = [
  { format: 'claude-code', name: 'Claude Code' },
  { format: 'codex', name: 'Codex' },
];

/** A command as it is typed into a shell. */
export function shellWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`))
    .join(' ');
}
