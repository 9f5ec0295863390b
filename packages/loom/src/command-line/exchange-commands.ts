import type { Command } from './command.ts';

/** The commands about the histories of other programs. */
export const exchangeCommands: Command[] = [
  {
    name: 'normalize',
    synonyms: ['normalise', 'convert'],
    summary: 'Turn what agents print and keep into messages',
    description: `Reads standard input and prints one message per line as JSON, as soon as it is
complete: {"role": …, "content": […], …}. What the agent took back is left out;
the last line says what the calls of models cost. Nothing is kept, and no data
folder is needed. The kinds are

  claude-cli   what claude -p --output-format stream-json prints
  claude-code  a session below ~/.claude/projects
  codex-cli    what codex exec --json prints
  codex        a session below ~/.codex/sessions`,
    parameters: [{ name: 'kind', summary: 'claude-cli, claude-code, codex-cli or codex' }],
    examples: [
      { line: 'loom normalize claude-code < session.jsonl' },
      { line: 'loom normalize claude-cli', meaning: 'behind a pipe from claude -p' },
    ],
    load: async () => (await import('../commands/normalize.ts')).normalizeInput,
  },
];
