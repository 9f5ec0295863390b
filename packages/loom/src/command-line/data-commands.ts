import type { Command } from './command.ts';

/** The commands that look after the data folder as a whole. */
export const dataCommands: Command[] = [
  {
    name: 'migrate',
    summary: 'Rewrite the files of an older Loom in the current format',
    description: `Folders of older versions open as they are, so migrating is optional. This
rewrites their messages in today's format, more of which can be edited by hand.
Everything is copied first, and the new files are verified before they are put
in place. After an interruption, run it again.`,
    options: [
      { name: 'dry-run', summary: 'Only show what would be done' },
      { name: 'backup', value: 'folder', summary: 'Folder for the copy (default: beside the data)' },
    ],
    examples: [{ line: 'loom migrate --dry-run' }, { line: 'loom migrate' }],
    load: async () => (await import('../commands/data/migrate.ts')).migrateData,
  },
  {
    name: 'backup',
    summary: 'Back up everything to one verified file',
    description: `Works while other processes write: each conversation is saved as it was at one
moment. The file appears only once it is complete and has been read back. Given
a folder, the file is named after the time. Anything unreadable is left out and
named, and the command exits with 1. Settings are left out, since they may hold
keys. The format is that of loom export-store. - writes to standard output.`,
    parameters: [{ name: 'file', summary: 'a new file, a folder, or - for standard output' }],
    examples: [
      { line: 'loom backup ~/loom-backup.jsonl' },
      { line: 'loom backup -', meaning: 'for a pipe, such as to gzip' },
    ],
    load: async () => (await import('../commands/data/backup.ts')).backUp,
  },
  {
    name: 'restore-backup',
    summary: 'Restore everything from a backup',
    description: `Restores into an empty or missing folder. With --replace, existing data is moved
aside first and stays until you delete it; settings are kept. The file is
checked before anything changes. Increments made by loom export-store can
follow, oldest first. Ids given out after the backup are never reused.`,
    parameters: [
      { name: 'file', summary: 'a file written by loom backup' },
      { name: 'increment', summary: 'exports made since', isRepeated: true },
    ],
    options: [{ name: 'replace', summary: 'Move existing data aside' }],
    examples: [
      { line: 'loom restore-backup loom-backup.jsonl' },
      { line: 'loom restore-backup loom-backup.jsonl --replace' },
    ],
    load: async () => (await import('../commands/data/restore-backup.ts')).restoreBackup,
  },
  {
    name: 'export-store',
    summary: 'Export everything, or what is new, as JSON lines',
    description: `For moving to another machine or store, and for keeping a copy up to date. With
--since, writes only what an earlier export lacks, to be imported on top of it.
- writes to standard output. Other processes may keep writing.`,
    parameters: [{ name: 'file', summary: 'a new file, or - for standard output' }],
    options: [{ name: 'since', value: 'export', summary: 'Only what this earlier export lacks' }],
    examples: [
      { line: 'loom export-store monday.jsonl' },
      { line: 'loom export-store tuesday.jsonl --since monday.jsonl' },
      { line: 'loom export-store -', meaning: 'for a pipe, to gzip or another machine' },
    ],
    takesDatabase: true,
    load: async () => (await import('../commands/data/export-store.ts')).exportStore,
  },
  {
    name: 'import-store',
    summary: 'Import files written by loom export-store',
    description: `Imports into an empty folder, or on top of an earlier import; repeating it
changes nothing, and after an interruption it continues. Files are checked
before anything changes. Data with other changes is refused. - reads standard
input.`,
    parameters: [
      { name: 'file', summary: 'an export, or - for standard input' },
      { name: 'more', summary: 'exports that build on it', isRepeated: true },
    ],
    examples: [
      { line: 'loom import-store monday.jsonl tuesday.jsonl' },
      { line: 'loom import-store monday.jsonl --data-dir copy' },
    ],
    takesDatabase: true,
    load: async () => (await import('../commands/data/import-store.ts')).importStore,
  },
  {
    name: 'du',
    summary: 'Show disk usage',
    description: `Shows the sizes of the files, not of the disk blocks they occupy, and how each
compares to the current text of all conversations.`,
    examples: [{ line: 'loom du' }],
    load: async () => (await import('../commands/data/du.ts')).showUsage,
  },
  {
    name: 'doctor',
    synonyms: ['check', 'fsck', 'repair'],
    summary: 'Check all data and repair what can be repaired',
    description: `Checks the database or log files, every change, every blob and every file.
Rebuilds derived data (snapshots, node files) that is wrong, applies edits made
by hand, and moves unreadable files to quarantine. Exits with 1 if data is lost.

An unreadable change keeps its whole conversation from opening. --set-aside
moves such changes to quarantine and names them, so that the rest opens again.

Every command, the server and the page report lost changes until you
acknowledge the loss with --acknowledge.

In PostgreSQL it reads every conversation and changes nothing. Run it with
--restored, while no other process uses the database, after putting the database
back to an earlier point: then clients that know more read everything again, and
no id is given out twice.`,
    options: [
      { name: 'set-aside', summary: 'Set unreadable changes aside so that the rest opens' },
      { name: 'acknowledge', summary: 'Stop the reminders about lost logs' },
      { name: 'restored', summary: 'Renew a PostgreSQL database that was put back in time' },
    ],
    takesDatabase: true,
    examples: [{ line: 'loom doctor' }, { line: 'loom doctor --set-aside' }, { line: 'loom doctor --acknowledge' }],
    load: async () => (await import('../commands/data/doctor.ts')).examine,
  },
  {
    name: 'purge',
    synonyms: ['erase', 'forget'],
    summary: 'Permanently erase a block or a conversation',
    description: `For a key that was pasted by accident. Deleting can be undone; this cannot: what
the block said in any version, copy or file is replaced by █. Its place, its
length and its author stay. Of a whole conversation nothing stays. Without --yes
you see what would be erased, and where else the same words appear, such as in
an answer that repeats them.`,
    parameters: [
      { name: 'block', summary: 'a block, a node with one text, or a root' },
      { name: 'more', summary: 'more of them', isRepeated: true },
    ],
    options: [{ name: 'yes', short: 'y', summary: 'Erase; without this, only shows what would be erased' }],
    examples: [{ line: 'loom purge node-3 --yes' }, { line: 'loom purge @person/3 --yes' }],
    load: async () => (await import('../commands/data/purge.ts')).purgeBlocks,
  },
  {
    name: 'secrets',
    synonyms: ['keys', 'leaks'],
    summary: 'Find keys, tokens and passwords in conversations',
    description: `Lists keys and tokens of well-known services, private keys, passwords in
addresses, and random values beside names such as API_KEY, with the block and
line of each. None is shown whole. Earlier versions of edited blocks, and long
output that is kept apart, are not looked through. With --purge and --yes the
blocks are erased for good, as with loom purge.`,
    parameters: [
      { name: 'conversation', summary: 'only these; all if none is named', isOptional: true, isRepeated: true },
    ],
    options: [
      { name: 'purge', summary: 'Erase the blocks that hold them' },
      { name: 'yes', short: 'y', summary: 'Really erase; without this, only shows what would be erased' },
    ],
    examples: [{ line: 'loom secrets' }, { line: 'loom secrets --purge --yes' }],
    load: async () => (await import('../commands/secrets/secrets.ts')).listSecrets,
  },
];

/** `loom search`. */
export const searchCommand: Command = {
  name: 'search',
  synonyms: ['grep', 'find'],
  summary: 'Find lines in everything that was said',
  description: `The query is a regular expression in RE2 syntax, matched line by line, ignoring
case; -F searches for plain text. The best matches and the newest conversations
come first. Lines are counted from 0, and you can pass the name of each text to
other commands. Exits with 1 if nothing matches.

Separate several kinds, conversations or agents with commas. Kinds are text,
thinking, code, tool-use, tool_result, file, command, file-change and so on. An
agent is person, a model such as anthropic:claude-x, or anthropic for all its
models. A time is a date, 2026-01-31, or includes a time, 2026-01-31T09:00Z.
On a screen the texts of a conversation stand under its name.`,
  parameters: [{ name: 'query', summary: 'what to look for, or a saved search', isOptional: true }],
  options: [
    { name: 'save', value: 'name', summary: 'Save the search under this name, also for the page' },
    { name: 'saved', summary: 'List saved searches, or do the one that is named' },
    { name: 'literal', short: 'F', summary: 'Search for plain text, not a pattern' },
    { name: 'case-sensitive', short: 's', summary: 'Match upper and lower case exactly' },
    { name: 'ignore-case', short: 'i', summary: 'Ignore case (the default)' },
    { name: 'kind', value: 'kinds', summary: 'Only these kinds of blocks (default all)' },
    { name: 'path', value: 'prefix', summary: 'Only files whose path starts with this' },
    { name: 'root', value: 'roots', summary: 'Only these conversations' },
    { name: 'agent', value: 'agents', summary: 'Only text by these agents' },
    { name: 'role', value: 'roles', summary: 'Only text of user, assistant or tool' },
    { name: 'project', value: 'projects', summary: 'Only in these projects, by id or name; none' },
    { name: 'source', value: 'programs', summary: 'Only in those imported from these programs' },
    { name: 'model', value: 'models', summary: 'Only where these models answered last' },
    { name: 'errors', summary: 'Only failures' },
    { name: 'after', value: 'time', summary: 'Only text started at this time or later' },
    { name: 'before', value: 'time', summary: 'Only text started before this time' },
    { name: 'context', short: 'C', value: 'n', summary: 'Lines to show around each match' },
    { name: 'max', value: 'n', summary: 'Matches to show per text (default 20)' },
    { name: 'max-blocks', value: 'n', summary: 'Texts to show (default 100)' },
    { name: 'from', value: 'place', summary: 'Continue where a search stopped' },
  ],
  examples: [
    { line: 'loom search weaving' },
    { line: `loom search 'greet(s|ing)' --context 1` },
    { line: 'loom search -F "$HOME" --kind tool-use,command' },
    { line: 'loom search . --errors --after 2026-01-31' },
    { line: 'loom search tides --role user --save asked', meaning: 'later: loom search --saved asked' },
  ],
  load: async () => (await import('../commands/texts/search.ts')).searchTexts,
};

/** The commands about the histories of other programs. */
export const exchangeCommands: Command[] = [
  {
    name: 'discover',
    synonyms: ['sessions', 'find-sessions', 'sources'],
    summary: 'Find agent sessions on this machine',
    description: `Looks where Claude Code, Codex, Gemini CLI, opencode and pi keep their sessions,
and counts them. Reads only names and sizes.`,
    examples: [{ line: 'loom discover', meaning: 'then loom import' }],
    load: async () => (await import('../commands/exchange/discover.ts')).discoverSessions,
  },
  {
    name: 'import',
    synonyms: ['ingest', 'load'],
    summary: 'Import agent sessions and chat exports',
    description: `Without a path, imports the sessions that loom discover finds. A path can be a
file or a folder with

- sessions of Claude Code, Codex, Gemini CLI, opencode, pi, Droid, Copilot CLI,
  Kimi CLI, Antigravity CLI, Qwen Code, Cursor's agent or OpenHands;
- exports of ChatGPT, Claude.ai, Open WebUI, LibreChat, LobeChat (JSON, zip);
- message arrays of OpenAI, Anthropic, the AI SDK or ShareGPT;
- JSON lines written by loom export.

Other files are named and left alone. Importing again adds only what is new;
what you have edited or deleted stays as you left it. Loom only reads the other
program's files. Ctrl-C cancels: what was imported stays, and the same command
continues from there.`,
    parameters: [{ name: 'path', summary: 'a file or a folder', isRepeated: true, isOptional: true }],
    options: [
      { name: 'source', value: 'name', summary: 'Import only sessions of this agent, such as codex' },
      { name: 'follow', short: 'f', summary: 'Keep running and import what agents write' },
      { name: 'again', summary: 'Read unchanged files again' },
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
    summary: 'Export a branch for people, programs or another agent',
    description: `A node exports the branch that ends there; a conversation exports all of it. The
formats are

  markdown                    for people
  html                        for people, as one self-contained file
  jsonl                       for loom import
  ai-sdk, openai, anthropic   as an array of messages
  claude-code, codex          as a session that the program can continue

A session is written where its program looks for it, and the command prints how
to continue. loom import brings what is said there back to the same branch.

Several conversations, those of a project or all are written with all their
branches into one zip archive: --out conversations.zip.`,
    parameters: [
      { name: 'node', summary: 'a node or a conversation, such as node-3', isRepeated: true, isOptional: true },
    ],
    options: [
      { name: 'format', short: 'f', value: 'name', summary: 'The format (default markdown)' },
      { name: 'out', short: 'o', value: 'file', summary: 'Write to this file; - is standard output' },
      { name: 'project', value: 'name', summary: 'All conversations of this project, as an archive' },
      { name: 'all', summary: 'All conversations, as an archive' },
      { name: 'tree', summary: 'Export all branches of the conversation' },
      { name: 'directory', value: 'dir', summary: 'Working folder of the session' },
      { name: 'replace-secrets', summary: 'Write dots in the place of keys, tokens and passwords' },
    ],
    examples: [
      { line: 'loom export node-4', meaning: 'Markdown, to standard output' },
      { line: 'loom export node-4 --format html --out branch.html' },
      { line: 'loom export node-4 --format claude-code', meaning: 'then claude --resume' },
      { line: 'loom export --all --out all.zip' },
    ],
    load: async () => (await import('../commands/exchange/export.ts')).exportConversation,
  },
  {
    name: 'normalize',
    synonyms: ['normalise', 'convert'],
    summary: 'Convert agent output and session files to messages',
    description: `Reads standard input and prints one JSON message per line, as soon as each is
complete: {"role": …, "content": […], …}. Messages that the agent retracted are
left out; the last line reports the usage of the model calls. Nothing is stored,
and no data folder is needed. The kinds are

  claude-cli    output of claude -p --output-format stream-json
  claude-code   a session file in ~/.claude/projects
  codex-cli     output of codex exec --json
  codex         a session file in ~/.codex/sessions
  gemini-cli    output of gemini --output-format stream-json
  opencode-cli  output of opencode run --format json
  pi-cli        output of pi --mode json`,
    parameters: [{ name: 'kind', summary: 'claude-cli, claude-code, codex-cli and so on' }],
    examples: [
      { line: 'loom normalize claude-code < session.jsonl' },
      { line: 'loom normalize claude-cli', meaning: 'piped from claude -p' },
    ],
    load: async () => (await import('../commands/exchange/normalize.ts')).normalizeInput,
  },
];

const projectParameter = { name: 'project', summary: 'its name or id, or a folder such as .' };

/** The commands that list conversations and their projects. */
export const listingCommands: readonly Command[] = [
  {
    name: 'ls',
    synonyms: ['list', 'dir', 'conversations'],
    summary: 'List conversations, most recent first',
    description: `Options narrow the list together; one that is given several times lets any of
its values through. A project is named by its name, its folder or its id, as in
loom projects; "none" stands for conversations without one.`,
    options: [
      { name: 'project', value: 'name', summary: 'Only conversations of this project' },
      { name: 'state', value: 'state', isRepeated: true, summary: 'Only waiting, running, failed or done ones' },
      { name: 'model', value: 'name', isRepeated: true, summary: 'Only those whose newest answer it wrote' },
      { name: 'source', value: 'name', isRepeated: true, summary: 'Only those imported from this program, or loom' },
      { name: 'text', value: 'words', summary: 'Only those with these words in title or first line' },
      { name: 'pinned', summary: 'Only pinned ones' },
      { name: 'by-project', summary: 'Group them by project' },
      { name: 'deleted', summary: 'List deleted conversations' },
      { name: 'archived', summary: 'List archived conversations' },
    ],
    examples: [
      { line: 'loom ls' },
      { line: 'loom ls --project none --state waiting', meaning: 'what waits for you outside of projects' },
      { line: 'loom ls --by-project --source codex' },
    ],
    load: async () => (await import('../commands/forest/ls.ts')).listRoots,
  },
  {
    name: 'projects',
    synonyms: ['project', 'folders', 'repositories'],
    summary: 'List the projects that conversations belong to',
    description: `A conversation belongs to the repository that its folder is in, with all
worktrees of it, or to its folder. loom ls --project lists those of one. New
conversations inherit the settings of their project.`,
    fallback: 'list',
    examples: [
      { line: 'loom projects' },
      { line: 'loom projects configure . model anthropic', meaning: 'for the present folder' },
    ],
    subcommands: [
      {
        name: 'list',
        summary: 'List the projects',
        load: async () => (await import('../commands/forest/projects.ts')).showProjects,
      },
      {
        name: 'show',
        summary: 'Show the settings of a project and its instructions',
        parameters: [projectParameter],
        examples: [{ line: 'loom projects show .' }],
        load: async () => (await import('../commands/forest/project-settings.ts')).showProject,
      },
      {
        name: 'configure',
        summary: 'Change a setting of a project',
        description: `The settings are model, which answers where none is named, and instructions,
on or off: whether models are shown the AGENTS.md or CLAUDE.md of the folder.`,
        parameters: [
          projectParameter,
          { name: 'key', summary: 'model or instructions' },
          { name: 'value', summary: 'its value' },
        ],
        examples: [{ line: 'loom projects configure tides instructions off' }],
        load: async () => (await import('../commands/forest/project-settings.ts')).changeProject,
      },
      {
        name: 'reset',
        summary: 'Take a setting of a project back',
        parameters: [projectParameter, { name: 'key', summary: 'model or instructions' }],
        examples: [{ line: 'loom projects reset tides model' }],
        load: async () => (await import('../commands/forest/project-settings.ts')).resetProject,
      },
    ],
  },
  {
    name: 'mark',
    synonyms: ['tag', 'archive', 'move', 'rename'],
    summary: 'Tag, move, archive or rename conversations',
    description: `Marks many conversations in one call. A project is named as in loom projects;
none gives a conversation back to the project of its folder. Archived
conversations are left out of lists, and still found.`,
    parameters: [{ name: 'conversation', summary: 'a conversation', isRepeated: true }],
    options: [
      { name: 'tag', value: 'name', isRepeated: true, summary: 'Add this tag' },
      { name: 'untag', value: 'name', isRepeated: true, summary: 'Take this tag away' },
      { name: 'project', value: 'name', summary: 'Put them into this project' },
      { name: 'archive', summary: 'Archive them' },
      { name: 'unarchive', summary: 'Bring them back from the archive' },
      { name: 'title', value: 'text', summary: 'The title of one conversation' },
    ],
    examples: [
      { line: 'loom mark root-a1 root-b2 --tag review --project tides' },
      { line: 'loom mark root-a1 --archive' },
    ],
    load: async () => (await import('../commands/forest/mark.ts')).markConversations,
  },
  {
    name: 'pin',
    synonyms: ['pins', 'unpin', 'favorite'],
    summary: 'Pin conversations to the top of the list in the page',
    description: `Pins are yours, in every browser. Without a conversation it lists what is
pinned, like loom ls --pinned.`,
    parameters: [{ name: 'conversation', summary: 'a conversation', isOptional: true, isRepeated: true }],
    options: [{ name: 'remove', summary: 'Take the pins away' }],
    examples: [{ line: 'loom pin root-a1 root-b2' }, { line: 'loom pin root-a1 --remove' }],
    load: async () => (await import('../commands/forest/pin.ts')).pinConversations,
  },
  {
    name: 'title',
    synonyms: ['titles', 'retitle'],
    summary: 'Let a model find titles for conversations without one',
    description: `Says first how many there are and about what their titles cost, and asks the
model only with --yes. Each title is kept as soon as it is there: Ctrl-C
cancels, and the same command goes on with the rest. Titles that you or a
program gave are never replaced. The model is that of defaults.titleModel, else
the cheapest current one of the provider of your default model.`,
    parameters: [
      { name: 'conversation', summary: 'only these; all if none is named', isOptional: true, isRepeated: true },
    ],
    options: [
      { name: 'dry-run', summary: 'Only say how many, and the price' },
      { name: 'model', short: 'm', value: 'name', summary: 'Ask this model' },
      { name: 'yes', short: 'y', summary: 'Ask the model' },
    ],
    examples: [
      { line: 'loom title --dry-run', meaning: 'how many have none, and the price' },
      { line: 'loom title --yes' },
    ],
    load: async () => (await import('../commands/titles/title.ts')).findTitles,
  },
];
