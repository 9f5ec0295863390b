import type { Command } from './command.ts';

/** The commands about the histories of other programs. */
export const exchangeCommands: Command[] = [
  {
    name: 'discover',
    synonyms: ['sessions', 'find-sessions', 'sources'],
    summary: 'Find the sessions of your agents on this machine',
    description: `Looks where Claude Code, Codex, Gemini CLI, opencode and pi keep their sessions,
and says how many there are. Nothing is read but names and sizes.`,
    examples: [{ line: 'loom discover', meaning: 'then loom import' }],
    load: async () => (await import('../commands/exchange/discover.ts')).discoverSessions,
  },
  {
    name: 'import',
    synonyms: ['ingest', 'load'],
    summary: 'Take in sessions of agents and exports of chats',
    description: `Without a path it takes in what loom discover finds. Files and folders may be
sessions of Claude Code, Codex, Gemini CLI, opencode or pi, exports of ChatGPT,
Claude.ai, Open WebUI or LibreChat (JSON or zip), message arrays of OpenAI, or
what loom export has written. Unknown files are left alone and named.

Doing it again adds what is new; what you have edited or deleted stays as you
left it. The other program's files are only ever read. Ctrl-C cancels: what was
taken in stays, and the same command goes on from there.`,
    parameters: [{ name: 'path', summary: 'a file or a folder', isRepeated: true, isOptional: true }],
    options: [
      { name: 'source', value: 'name', summary: 'Only the sessions of this agent, such as codex' },
      { name: 'follow', short: 'f', summary: 'Stay, and take in what agents write while they work' },
      { name: 'again', summary: 'Read files again that have not changed' },
    ],
    examples: [
      { line: 'loom import', meaning: 'all sessions on this machine' },
      { line: 'loom import --source claude-code', meaning: 'those of one agent' },
      { line: 'loom import ~/Downloads/chatgpt-export.zip' },
    ],
    load: async () => (await import('../commands/exchange/import.ts')).importHistories,
  },
  {
    name: 'export',
    synonyms: ['save-as'],
    summary: 'Write a branch for people, for programs, or for another agent',
    description: `A node stands for the branch that ends there, a conversation for all of it. The
formats are markdown, html (one file that needs nothing else), jsonl (which loom
import reads again), the message arrays of ai-sdk, openai and anthropic, and the
sessions of claude-code and codex: these are written to where the program looks
for them, and it is said how to go on there. What is said there comes back to
the same branch with loom import.`,
    parameters: [{ name: 'node', summary: 'a node or a conversation, such as node-3' }],
    options: [
      { name: 'format', short: 'f', value: 'name', summary: 'Which of these (default markdown)' },
      { name: 'out', short: 'o', value: 'file', summary: 'Where to write it; - is standard output' },
      { name: 'tree', summary: 'All branches of the conversation' },
      { name: 'directory', value: 'dir', summary: 'The folder that a session works in' },
    ],
    examples: [
      { line: 'loom export node-4', meaning: 'Markdown, to standard output' },
      { line: 'loom export node-4 --format html --out branch.html' },
      { line: 'loom export node-4 --format claude-code', meaning: 'then claude --resume' },
    ],
    load: async () => (await import('../commands/exchange/export.ts')).exportConversation,
  },
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
    load: async () => (await import('../commands/exchange/normalize.ts')).normalizeInput,
  },
];
