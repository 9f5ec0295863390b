import type { Command } from './command.ts';

/** The commands that look after the data folder as a whole. */
export const dataCommands: Command[] = [
  {
    name: 'migrate',
    summary: 'Write the files of an older Loom in the current format',
    description: `Folders of older Looms open as they are; nothing needs to be migrated. This
writes their messages in the format that Loom writes today, of which more can be
edited by hand. Everything is copied first, the new files are verified, and only
then put in place. After an interruption, run it again.`,
    options: [
      { name: 'dry-run', summary: 'Only say what would be done' },
      { name: 'backup', value: 'folder', summary: 'Where the copy goes (default: beside the data)' },
    ],
    examples: [{ line: 'loom migrate --dry-run' }, { line: 'loom migrate' }],
    load: async () => (await import('../commands/data/migrate.ts')).migrateData,
  },
  {
    name: 'backup',
    summary: 'Write everything into one file, and check it',
    description: `Works while another loom writes: what is in the file is as it was at one moment
of each conversation. The file appears when it is complete and was read again,
or not at all. A folder gets a file that is named after the time. What cannot
be read is left out and named, and the command ends with code 1. Settings are
left out, since they may hold keys. The format is that of loom export-store. -
writes to standard output.`,
    parameters: [{ name: 'file', summary: 'a new file, a folder, or - for standard output' }],
    examples: [
      { line: 'loom backup ~/loom-backup.jsonl' },
      { line: 'loom backup -', meaning: 'for a pipe, such as to gzip' },
    ],
    load: async () => (await import('../commands/data/backup.ts')).backUp,
  },
  {
    name: 'restore-backup',
    summary: 'Bring back everything that a backup holds',
    description: `Fills a folder that is empty or missing. With --replace the data that is there
is moved aside first, and stays until you delete it; settings are kept. The file
is checked before anything is changed. Increments that loom export-store has
made since can follow, the oldest first. No id that was given out after the
backup is ever used again.`,
    parameters: [
      { name: 'file', summary: 'what loom backup has written' },
      { name: 'increment', summary: 'what was exported since', isRepeated: true },
    ],
    options: [{ name: 'replace', summary: 'Move the data that is there aside' }],
    examples: [
      { line: 'loom restore-backup loom-backup.jsonl' },
      { line: 'loom restore-backup loom-backup.jsonl --replace' },
    ],
    load: async () => (await import('../commands/data/restore-backup.ts')).restoreBackup,
  },
  {
    name: 'export-store',
    summary: 'Write everything, or what is new, as lines of JSON',
    description: `For moving to another machine or store, and for keeping a copy up to date. With
--since only what an earlier export does not have is written, to be imported on
top of it. - writes to standard output. Other processes may write meanwhile.`,
    parameters: [{ name: 'file', summary: 'a new file, or - for standard output' }],
    options: [{ name: 'since', value: 'export', summary: 'Only what this earlier export does not have' }],
    examples: [
      { line: 'loom export-store monday.jsonl' },
      { line: 'loom export-store tuesday.jsonl --since monday.jsonl' },
      { line: 'loom export-store -', meaning: 'for a pipe, to gzip or another machine' },
    ],
    load: async () => (await import('../commands/data/export-store.ts')).exportStore,
  },
  {
    name: 'import-store',
    summary: 'Take in what loom export-store has written',
    description: `Into an empty folder, or on top of what was imported before; doing it again
changes nothing, and after an interruption it goes on. Files are checked before
anything is changed. Data with other changes is refused. - reads standard
input.`,
    parameters: [
      { name: 'file', summary: 'an export, or - for standard input' },
      { name: 'more', summary: 'exports that build on it', isRepeated: true },
    ],
    examples: [
      { line: 'loom import-store monday.jsonl tuesday.jsonl' },
      { line: 'loom import-store monday.jsonl --data-dir copy' },
    ],
    load: async () => (await import('../commands/data/import-store.ts')).importStore,
  },
  {
    name: 'du',
    summary: 'Show what takes how much room',
    description: `Sizes are those of the files, not what a disk gives them; beside each is how
much that is for the text of all conversations as it is now.`,
    examples: [{ line: 'loom du' }],
    load: async () => (await import('../commands/data/du.ts')).showUsage,
  },
  {
    name: 'doctor',
    synonyms: ['check', 'fsck', 'repair'],
    summary: 'Check all data, and mend what can be mended',
    description: `Reads everything: the database or log files, every change, every blob
and every file. What is derived from the log (snapshots, node files) is made
again where it is wrong; edits by hand are taken in; files that cannot be taken
in are kept in quarantine. Ends with code 1 if something is lost.

A change that cannot be read keeps its whole conversation closed. --set-aside
takes such changes out of the log, keeps them in quarantine and says
what they were; everything else of the conversation is there again.

A log that has lost something is told by every command, by the server and by
the page, until --acknowledge says that you know.`,
    options: [
      { name: 'set-aside', summary: 'Set changes aside that cannot be read, so that the rest opens' },
      { name: 'acknowledge', summary: 'End the reminders of logs that are lost' },
    ],
    examples: [{ line: 'loom doctor' }, { line: 'loom doctor --set-aside' }, { line: 'loom doctor --acknowledge' }],
    load: async () => (await import('../commands/data/doctor.ts')).examine,
  },
  {
    name: 'purge',
    synonyms: ['erase', 'forget'],
    summary: 'Remove what a block or a conversation ever said, for good',
    description: `For a key that was pasted by accident. Deleting keeps everything, so that it can
be undone; this does not: what the block said in any version, in any copy and in
any file is replaced by █. Its place, its length and who wrote it stay. Of a
whole conversation nothing stays. Without --yes you are shown what would go, and
where else the same words are, such as in an answer that repeats them.`,
    parameters: [
      { name: 'block', summary: 'a block, a node with one text, or a root' },
      { name: 'more', summary: 'further ones', isRepeated: true },
    ],
    options: [{ name: 'yes', short: 'y', summary: 'Do it; without this you are only shown what would go' }],
    examples: [{ line: 'loom purge node-3 --yes' }, { line: 'loom purge @person/3 --yes' }],
    load: async () => (await import('../commands/data/purge.ts')).purgeBlocks,
  },
];

/** `loom search`. */
export const searchCommand: Command = {
  name: 'search',
  synonyms: ['grep', 'find'],
  summary: 'Find lines in everything that was said',
  description: `The query is a regular expression in the syntax of RE2, matched line by line;
with -F it is taken as it is. Lines count from 0, and each text is named as
other commands take it. Exits with 1 when nothing matches. Kinds are text,
thinking, code, tool-use, tool_result, file, command, file-change and so on;
several, and several conversations, are separated by commas. So are agents:
person, a model such as anthropic:claude-x, or anthropic for all its models. A
time is a date, 2026-01-31, or has a time, 2026-01-31T09:00Z.`,
  parameters: [{ name: 'query', summary: 'what to look for' }],
  options: [
    { name: 'literal', short: 'F', summary: 'Take the query as it is, not as a pattern' },
    { name: 'ignore-case', short: 'i', summary: 'Ignore upper and lower case' },
    { name: 'kind', value: 'kinds', summary: 'Only these kinds of blocks (default all)' },
    { name: 'path', value: 'prefix', summary: 'Only files whose path begins so' },
    { name: 'root', value: 'roots', summary: 'Only these conversations' },
    { name: 'agent', value: 'agents', summary: 'Only what these agents wrote' },
    { name: 'errors', summary: 'Only what went wrong' },
    { name: 'after', value: 'time', summary: 'Only what was begun then or later' },
    { name: 'before', value: 'time', summary: 'Only what was begun before' },
    { name: 'context', short: 'C', value: 'n', summary: 'Lines to show around each match' },
    { name: 'max', value: 'n', summary: 'Matches to show of one text (default 20)' },
    { name: 'max-blocks', value: 'n', summary: 'Texts to show (default 100)' },
  ],
  examples: [
    { line: 'loom search weaving' },
    { line: `loom search -i 'greet(s|ing)' --context 1` },
    { line: 'loom search -F "$HOME" --kind tool-use,command' },
    { line: 'loom search . --errors --after 2026-01-31' },
  ],
  load: async () => (await import('../commands/texts/search.ts')).searchTexts,
};

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
Claude.ai, Open WebUI or LibreChat (JSON or zip), message arrays of OpenAI,
Anthropic or the AI SDK, or what loom export has written for programs. Unknown
files are left alone and named.

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

  claude-cli    what claude -p --output-format stream-json prints
  claude-code   a session below ~/.claude/projects
  codex-cli     what codex exec --json prints
  codex         a session below ~/.codex/sessions
  gemini-cli    what gemini --output-format stream-json prints
  opencode-cli  what opencode run --format json prints
  pi-cli        what pi --mode json prints`,
    parameters: [{ name: 'kind', summary: 'claude-cli, claude-code, codex-cli and so on' }],
    examples: [
      { line: 'loom normalize claude-code < session.jsonl' },
      { line: 'loom normalize claude-cli', meaning: 'behind a pipe from claude -p' },
    ],
    load: async () => (await import('../commands/exchange/normalize.ts')).normalizeInput,
  },
];
