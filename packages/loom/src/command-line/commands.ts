import type { Command, HelpTable } from './command.ts';
import { blameCommands } from './blame-commands.ts';
import { dataCommands, exchangeCommands, searchCommand, listingCommands } from './data-commands.ts';
import { draftCommand } from './draft-commands.ts';
import { promptCommand } from './prompt-commands.ts';
import { serversCommand } from './server-commands.ts';
import { agentCommands, folderOptions, loginCommands, servingCommands } from './serving-commands.ts';
import { sections } from './sections-of-commands.ts';

/** The command table. A new command is one entry here and one module in commands/. */
export const ROOT: Command = {
  name: 'loom',
  summary: 'Your conversations with models and agents, as one forest of blocks',
  description: `Loom keeps every conversation you have with models and coding agents as one
forest of content blocks: branching, searchable, in files you own.

Most used: chat, serve, models, ls, tree, show, search, edit, undo, import.

Data lives in ~/.loom. To use another folder, set LOOM_DATA_DIR or pass
--data-dir. Settings are in config.toml there: see loom help config.
A new folder keeps its logs in an SQLite database; with --store files,
LOOM_STORE=files or store = "files" in the settings, in files any tool can read.`,
  options: [
    { name: 'data-dir', value: 'dir', summary: 'Use this data folder (default ~/.loom)' },
    { name: 'store', value: 'kind', summary: 'sqlite or files for a new folder; or a postgres:// URL' },
    { name: 'json', summary: 'Print JSON, also for failures' },
    { name: 'help', short: 'h', summary: 'Explain a command' },
    { name: 'version', short: 'V', summary: 'Print the version' },
  ],
  examples: [
    { line: 'loom chat', meaning: 'talk to the demo model, no key needed' },
    { line: 'loom serve', meaning: 'open Loom in a browser' },
    { line: 'loom import', meaning: 'bring in your agent sessions' },
    { line: 'loom tree', meaning: 'see how your conversations branch' },
    { line: 'loom help config set', meaning: 'learn about one command' },
  ],
  sections,
  subcommands: [
    {
      name: 'chat',
      synonyms: ['new', 'ask', 'talk'],
      summary: 'Talk to a model',
      description: `Starts a conversation or continues one. loom models lists the models you can
use; the demo needs no key and no network: say "help" to see what it can do. In
a chat, /help lists the commands, and what you type while an answer is running
steers it. Text on the command line becomes your first message.

With -p, or with text when you are not at a terminal, only the answer goes to
stdout, and tool calls that need approval are denied unless you pass --yes;
piped input is added below the text. With --json every event is one line, and
the last line says where it ended: {"root": …, "node": …}.`,
      parameters: [{ name: 'text', summary: 'your first message', isRepeated: true }],
      options: [
        { name: 'prompt', short: 'p', value: 'text', summary: 'Send this, print the answer, exit (- reads stdin)' },
        { name: 'continue', short: 'c', summary: 'Continue the most recent conversation' },
        { name: 'node', value: 'node', summary: 'Continue from this node' },
        { name: 'extend', summary: 'Continue an answer where it stopped, then exit' },
        {
          name: 'model',
          short: 'm',
          value: 'name',
          isRepeated: true,
          summary: 'Model, such as demo:slow; repeat it to compare several',
        },
        { name: 'answers', short: 'n', value: 'count', summary: 'Number of answers from each model' },
        { name: 'preset', value: 'name', summary: 'Use the settings of this preset' },
        { name: 'reasoning', value: 'level', summary: 'How hard to think: off, low, medium, high, max' },
        {
          name: 'attach',
          short: 'a',
          value: 'file',
          summary: 'Attach a file; may be repeated',
          isRepeated: true,
        },
        { name: 'system', value: 'text', summary: 'System prompt for a new conversation' },
        ...folderOptions,
        { name: 'yes', short: 'y', summary: 'Approve every tool call (with -p)' },
      ],
      examples: [
        { line: 'loom chat', meaning: 'a new conversation' },
        { line: 'loom chat "hello"', meaning: 'one that starts with this message' },
        { line: 'loom chat -p "hello"', meaning: 'one answer, for scripts' },
        { line: 'loom chat -p "sum this up" < notes.md' },
        { line: 'loom chat -p "what is this?" --attach photo.jpg' },
        { line: 'loom chat "what is wrong in @main.ts?"', meaning: 'attaches the file' },
        { line: 'loom chat --dir . --mode plan', meaning: 'tools work here, plan first' },
        { line: 'loom chat --continue -p "go on"' },
        { line: 'loom chat --node node-2', meaning: 'a branch from an earlier message' },
        { line: 'loom chat -p "a name for a cat" -n 3', meaning: 'three answers, as branches' },
        { line: 'loom chat --continue --extend', meaning: 'continue an answer that was cut off' },
      ],
      load: async () => (await import('../commands/chat.ts')).chat,
    },
    {
      name: 'models',
      synonyms: ['providers', 'model'],
      summary: 'List the models you can use, and why others are unavailable',
      description: `Newest first; older models are listed when you name a provider or part of a
name. Prices are US dollars per million tokens. Name a model with its provider,
as in --model anthropic/claude-sonnet-5; the model alone is enough if only one
provider has it. Models that are not listed work too, if their provider does.`,
      parameters: [{ name: 'filter', summary: 'part of a name', isRepeated: true }],
      examples: [{ line: 'loom models' }, { line: 'loom models claude', meaning: 'models with claude in their name' }],
      load: async () => (await import('../commands/models.ts')).listModels,
    },
    promptCommand,
    draftCommand,
    ...loginCommands,
    ...agentCommands,
    serversCommand,
    ...servingCommands,
    ...exchangeCommands,
    {
      name: 'demo',
      synonyms: ['sample', 'example'],
      summary: 'Create sample conversations in an empty data folder',
      description: `Fills an empty folder with a few conversations that show branches, tools,
approvals, file changes, to-do lists, sources, thinking, an edit and bookmarks.
No key and no network needed.`,
      examples: [{ line: 'loom demo', meaning: 'then loom ls, loom tree, loom chat --continue' }],
      load: async () => (await import('../commands/demo.ts')).growDemo,
    },
    ...listingCommands,
    {
      name: 'show',
      synonyms: ['cat', 'view', 'print'],
      summary: 'Print a conversation up to a node',
      description: `Prints Markdown; with --json, one node per line. The end of an id is enough if
it is unique: node-3 or x7k2/node-3. A root means its most recent branch.`,
      parameters: [{ name: 'node', summary: 'such as node-3' }],
      examples: [{ line: 'loom show node-4' }],
      load: async () => (await import('../commands/forest/show.ts')).showNode,
    },
    {
      name: 'tree',
      synonyms: ['graph'],
      summary: 'Draw conversations as trees',
      description: `Without an id, draws all of them; with --json, prints one node per line.`,
      parameters: [{ name: 'id', summary: 'a root or a node', isRepeated: true }],
      examples: [{ line: 'loom tree' }, { line: 'loom tree node-2', meaning: 'the part below a node' }],
      load: async () => (await import('../commands/forest/tree.ts')).showTrees,
    },
    {
      name: 'inspect',
      synonyms: ['request', 'wire'],
      summary: 'Show what was sent to a model, and what it answered',
      description: `Loom keeps the exact requests and responses of the last 20 calls of each
conversation, without keys. Older ones are rebuilt from the path and marked as
such. JSON is indented, and every event of a stream is one line.`,
      parameters: [{ name: 'node', summary: 'an answer, such as node-4' }],
      options: [
        { name: 'diff', summary: 'Show what differs from the previous request' },
        { name: 'raw', summary: 'Print the exact bytes sent and received' },
      ],
      examples: [
        { line: 'loom inspect node-4' },
        { line: 'loom inspect node-4 --diff', meaning: 'what is new in that request' },
      ],
      load: async () => (await import('../commands/forest/inspect.ts')).inspectNode,
    },
    {
      name: 'edit',
      summary: 'Edit a message',
      description: `Editing a message that has replies creates a new branch beside it; the last
message of a branch is changed in place, and its history keeps the old text. You
see what an edit costs before it is made. Without a text, your editor opens;
- reads the text from standard input. With --run, your edited message is
answered at once, as with loom chat -p.`,
      parameters: [
        { name: 'node', summary: 'such as node-3' },
        { name: 'text', summary: 'the new text', isRepeated: true },
      ],
      options: [
        { name: 'in-place', summary: 'Change it in place, without a new branch' },
        { name: 'split', summary: 'Keep the common beginning, and branch after it' },
        { name: 'run', short: 'r', summary: 'Get an answer at once' },
        { name: 'model', short: 'm', value: 'name', summary: 'Model that answers with --run' },
        { name: 'yes', short: 'y', summary: 'Skip the question, and approve every tool call' },
      ],
      examples: [
        { line: 'loom edit node-1 "hello, world"' },
        { line: 'loom edit node-1 "hello, world" --run', meaning: 'and print the answer' },
      ],
      load: async () => (await import('../commands/texts/edit.ts')).editNode,
    },
    {
      name: 'rm',
      synonyms: ['remove', 'delete', 'del'],
      summary: 'Delete a node with everything below it, or a conversation',
      description: `Nothing is lost: loom restore brings it back. Bookmarks protect what they mark.`,
      parameters: [{ name: 'node', summary: 'a node or a root' }],
      options: [{ name: 'keep-children', summary: 'Delete only the node; its children move up' }],
      examples: [{ line: 'loom rm node-5' }],
      load: async () => (await import('../commands/forest/remove.ts')).removeNode,
    },
    {
      name: 'restore',
      synonyms: ['undelete'],
      summary: 'Restore something you deleted',
      description: `To restore a whole backup, use loom restore-backup.`,
      parameters: [{ name: 'node', summary: 'a node or a root' }],
      examples: [{ line: 'loom restore node-5' }],
      load: async () => (await import('../commands/forest/remove.ts')).restoreNode,
    },
    {
      name: 'bookmark',
      synonyms: ['bookmarks', 'mark'],
      summary: 'Bookmark nodes, which also protects them from deletion',
      fallback: 'list',
      subcommands: [
        {
          name: 'list',
          synonyms: ['ls'],
          summary: 'List bookmarks (the default)',
          load: async () => (await import('../commands/forest/bookmark.ts')).listBookmarks,
        },
        {
          name: 'add',
          summary: 'Bookmark a node',
          parameters: [
            { name: 'node', summary: 'such as node-3' },
            { name: 'title', summary: 'its title', isRepeated: true },
          ],
          examples: [{ line: 'loom bookmark add node-4 the good answer' }],
          load: async () => (await import('../commands/forest/bookmark.ts')).addBookmark,
        },
        {
          name: 'remove',
          synonyms: ['rm', 'delete'],
          summary: 'Remove a bookmark; the node stays',
          parameters: [{ name: 'node', summary: 'such as node-3' }],
          load: async () => (await import('../commands/forest/bookmark.ts')).removeBookmark,
        },
      ],
    },
    {
      name: 'diff',
      summary: 'Compare two branches, block by block',
      parameters: [
        { name: 'a', summary: 'a node' },
        { name: 'b', summary: 'another node of the same conversation' },
      ],
      examples: [{ line: 'loom diff node-2 node-4' }],
      load: async () => (await import('../commands/texts/diff.ts')).diffNodes,
    },
    {
      name: 'read',
      summary: 'Print one text with line numbers',
      description: `A text is named by its node (node-3) or, where a node has several, by its block
(@person/3). Lines count from 0. Ranges: 3:5 are lines 3 and 4, 3-5 are 3, 4 and
5, 3 is one line, 3: goes to the end. Blocks that are not text, such as tool
calls, are printed as text. The sha256:… of a long output prints all of it.`,
      parameters: [{ name: 'block', summary: 'a node or a block, such as node-3' }],
      options: [
        { name: 'lines', value: 'range', summary: 'Print only these lines' },
        { name: 'at', value: 'version', summary: 'Print an earlier version; see loom history' },
        { name: 'plain', summary: 'Print only the text, byte for byte' },
      ],
      examples: [
        { line: 'loom read node-3' },
        { line: 'loom read node-3 --lines 10-20' },
        { line: 'loom read node-3 --plain --at 2', meaning: 'an earlier version, as it was' },
      ],
      load: async () => (await import('../commands/texts/read.ts')).readBlock,
    },
    {
      name: 'edit-lines',
      summary: 'Edit lines of a text in place',
      description: `Lines are numbered as in loom read. With --expect, nothing changes unless the
lines match. With --base-version, line numbers refer to that version, whatever
changed since; lines that changed themselves are refused. --ops takes a JSON
list of operations, of which all or none are applied: see loom read for numbers,
and {"op": "insert", "line", "content"},
{"op": "delete" or "replace", "start_line", "end_line" (exclusive), "content",
"expected_text"}. To change a message on a branch of its own: loom edit.`,
      parameters: [{ name: 'block', summary: 'a node or a block, such as node-3' }],
      options: [
        { name: 'replace', value: 'range', summary: 'Replace these lines with --with' },
        { name: 'insert', value: 'line', summary: 'Insert --with before this line, or at the end' },
        { name: 'delete', value: 'range', summary: 'Delete these lines' },
        { name: 'with', value: 'text', summary: 'The new lines (- reads stdin)' },
        { name: 'expect', value: 'text', summary: 'The expected old lines' },
        { name: 'ops', value: 'file', summary: 'JSON list of operations (- reads stdin)' },
        { name: 'base-version', value: 'n', summary: 'The version you read' },
      ],
      examples: [
        { line: 'loom edit-lines node-3 --replace 2 --with "a better line"' },
        { line: 'loom edit-lines node-3 --insert end --with - < more.md' },
        { line: 'loom edit-lines node-3 --delete 3:5 --expect "old line"' },
        { line: 'loom edit-lines node-3 --ops edits.json' },
      ],
      load: async () => (await import('../commands/texts/edit-lines.ts')).editLines,
    },
    {
      name: 'patch',
      summary: 'Apply a unified diff to a text',
      description: `Each hunk is applied at its line, or where all of its context is found;
otherwise nothing changes. Without a file, reads the patch from standard input.`,
      parameters: [
        { name: 'block', summary: 'a node or a block, such as node-3' },
        { name: 'file', summary: 'the patch', isOptional: true },
      ],
      options: [{ name: 'dry-run', summary: 'Only check whether it would apply' }],
      examples: [{ line: 'loom patch node-3 fix.diff' }, { line: 'loom patch node-3 --dry-run - < fix.diff' }],
      load: async () => (await import('../commands/texts/patch.ts')).patchBlock,
    },
    {
      name: 'call',
      synonyms: ['api', 'rpc'],
      summary: 'Call any operation with JSON',
      description: `Everything Loom can do is a named operation; without arguments, lists them all.
Parameters are a JSON object, given as an argument or, with -, on standard
input; the default is {}. Prints the result as JSON; with --json on one line, as
{"ok": true, "value": …} or {"ok": false, "refusal": …}.`,
      parameters: [
        { name: 'operation', summary: 'such as node.append', isOptional: true },
        { name: 'json', summary: 'its parameters, or -', isOptional: true },
      ],
      examples: [
        { line: 'loom call', meaning: 'all operations' },
        { line: `loom call root.list '{"limit": 3}'` },
        { line: `loom call operation.get '{"name": "node.append"}'`, meaning: 'its parameters' },
      ],
      load: async () => (await import('../commands/call.ts')).callAnyOperation,
    },
    ...dataCommands,
    {
      name: 'undo',
      summary: 'Undo your last change',
      description: `With a block, undoes your last edit of it and keeps what others wrote. Without
one, undoes your last change of any kind in the most recent conversation.`,
      parameters: [{ name: 'block', summary: 'a node or a block', isOptional: true }],
      examples: [{ line: 'loom undo' }, { line: 'loom undo node-3', meaning: 'only in this text' }],
      load: async () => (await import('../commands/texts/undo.ts')).undoLast,
    },
    {
      name: 'redo',
      summary: 'Redo what you last undid',
      parameters: [{ name: 'block', summary: 'a node or a block', isOptional: true }],
      examples: [{ line: 'loom redo' }, { line: 'loom redo node-3' }],
      load: async () => (await import('../commands/texts/undo.ts')).redoLast,
    },
    {
      name: 'history',
      synonyms: ['versions'],
      summary: 'List the versions of a text',
      description: `Shows when, who, what changed, how many characters were added and removed, and
the status; newest last. A streamed answer is one row.`,
      parameters: [{ name: 'block', summary: 'a node or a block, such as node-3' }],
      options: [
        { name: 'limit', value: 'n', summary: 'Show only the newest n versions (default 100)' },
        { name: 'diff', value: 'a:b', summary: 'Compare two versions, or one with the newest' },
      ],
      examples: [
        { line: 'loom history node-3' },
        { line: 'loom history node-3 --diff 2', meaning: 'what changed since version 2' },
        { line: 'loom history node-3 --diff 2:4' },
      ],
      load: async () => (await import('../commands/texts/history.ts')).showHistory,
    },
    searchCommand,
    ...blameCommands,
    {
      name: 'config',
      synonyms: ['settings', 'configure'],
      summary: 'Show and change settings',
      description: `Settings are read from config.toml in the data folder. Files named
config.<name>.toml beside it are weaker and apply in the order of their names;
provider keys in the environment (OPENAI_API_KEY, ANTHROPIC_API_KEY,
GOOGLE_API_KEY, OPENROUTER_API_KEY) are stronger. Changes go to config.toml and
leave its comments and its layout alone.`,
      fallback: 'list',
      details: settingsTable,
      examples: [
        { line: 'loom config', meaning: 'the settings in effect' },
        { line: 'loom config set defaults.temperature 0.7' },
        { line: 'loom config set providers.openai.apiKey -', meaning: 'asks for the key' },
        { line: `loom config get 'presets."gpt-4.1".n'`, meaning: 'quotes for names with dots' },
      ],
      subcommands: [
        {
          name: 'list',
          synonyms: ['ls', 'show'],
          summary: 'Show every setting with its origin (the default)',
          description: 'Keys and other secrets are shown masked.',
          load: async () => (await import('../commands/config/config-list.ts')).listSettings,
        },
        {
          name: 'get',
          summary: 'Print one setting',
          description: `Prints only the value, for scripts. A table prints everything in it. Exits with
1 if the setting has no value.`,
          parameters: [{ name: 'key', summary: 'such as defaults.model' }],
          options: [{ name: 'reveal', summary: 'Show secrets' }],
          examples: [
            { line: 'loom config get defaults.model' },
            { line: 'loom config get providers.openai.apiKey --reveal' },
          ],
          load: async () => (await import('../commands/config/config-get.ts')).getSetting,
        },
        {
          name: 'set',
          summary: 'Change one setting in config.toml',
          description: `Text needs no TOML quotes. With - the value is read from standard input, which
keeps keys out of your shell history. Put a value that starts with a dash
after --.`,
          parameters: [
            { name: 'key', summary: 'such as defaults.model' },
            { name: 'value', summary: 'or - to read it from standard input' },
          ],
          examples: [
            { line: 'loom config set defaults.model demo/thinking' },
            { line: 'loom config set providers.openai.apiKey - < key.txt' },
            { line: 'loom config set defaults.systemPrompt -- "- Be brief."' },
            { line: `loom config set mcp_servers.files.args '["-y", "server"]'` },
          ],
          load: async () => (await import('../commands/config/config-set.ts')).setSetting,
        },
        {
          name: 'unset',
          synonyms: ['rm', 'remove', 'delete'],
          summary: 'Remove a setting or a whole table from config.toml',
          parameters: [{ name: 'key', summary: 'such as defaults.model' }],
          examples: [
            { line: 'loom config unset defaults.systemPrompt' },
            { line: 'loom config unset presets.brief', meaning: 'the preset with all its values' },
          ],
          load: async () => (await import('../commands/config/config-unset.ts')).unsetSetting,
        },
        {
          name: 'edit',
          summary: 'Open config.toml in your editor and check the result',
          description: `Opens a copy in $VISUAL or $EDITOR. It replaces config.toml only if it is valid;
otherwise you can keep editing, and nothing is lost.`,
          load: async () => (await import('../commands/config/config-edit.ts')).editSettings,
        },
        {
          name: 'path',
          summary: 'Print the path of config.toml',
          load: async () => (await import('../commands/config/config-path.ts')).printPath,
        },
      ],
    },
    {
      name: 'help',
      summary: 'Explain a command',
      parameters: [{ name: 'command', summary: 'the command to explain', isRepeated: true }],
      load: async () => (await import('../commands/help.ts')).explain,
    },
    {
      name: 'version',
      summary: 'Print the version',
      load: async () => {
        const { printVersion } = await import('../commands/version.ts');
        return ({ terminal, isJson }) => printVersion(terminal, isJson);
      },
    },
  ],
};

async function settingsTable(): Promise<HelpTable[]> {
  const { SETTINGS } = await import('../config/settings.ts');
  const rows = SETTINGS.filter(({ isKept }) => isKept !== true).map(
    ({ path, summary }) => [path.join('.').replaceAll('*', '<name>'), summary] as const,
  );
  return [{ title: 'Settings', rows }];
}
