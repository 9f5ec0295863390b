import type { Command, HelpTable } from './command.ts';
import { dataCommands, exchangeCommands, searchCommand } from './data-commands.ts';
import { servingCommands } from './serving-commands.ts';

/** The command table. A new command is one entry here and one module in commands/. */
export const ROOT: Command = {
  name: 'loom',
  summary: 'Your conversations with models and agents, as one forest of blocks',
  description: `Loom keeps every conversation that you have with models and coding agents as one
forest of content blocks: branching, searchable, in plain files that you own.

Data lives in ~/.loom. To use another folder, set LOOM_DATA_DIR or give
--data-dir. Settings are in config.toml there: see loom help config.
A new folder keeps its logs in a database; with --store files, LOOM_STORE=files
or the setting store = "files" in files that every tool can read.`,
  options: [
    { name: 'data-dir', value: 'dir', summary: 'Folder with your data (default ~/.loom)' },
    { name: 'store', value: 'kind', summary: 'What a new folder keeps its logs in: sqlite or files' },
    { name: 'json', summary: 'Print JSON, also on failure' },
    { name: 'help', short: 'h', summary: 'Explain a command' },
    { name: 'version', short: 'V', summary: 'Print the version' },
  ],
  examples: [
    { line: 'loom chat', meaning: 'talk with the demo model, without a key' },
    { line: 'loom tree', meaning: 'your conversations, and how they branch' },
    { line: 'loom config', meaning: 'every setting, and where it comes from' },
    { line: 'loom help config set', meaning: 'more about one command' },
  ],
  subcommands: [
    {
      name: 'chat',
      synonyms: ['new', 'ask', 'talk'],
      summary: 'Talk with a model',
      description: `Starts a conversation, or goes on with one. loom models lists who can answer;
the demo needs no key and no network: say "help" to see what it reacts to. In a
chat /help lists commands; what you type while an answer is running steers it. A
text on the command line is what you say first.

With -p, and with a text where you are not at a terminal, the answer alone goes
to stdout, and calls that ask for permission are denied unless --yes is given;
what is piped in is added below the text. With --json each event is a line, and
the last line says where it ended: {"root": …, "node": …}.`,
      parameters: [{ name: 'text', summary: 'what to say first', isRepeated: true }],
      options: [
        { name: 'prompt', short: 'p', value: 'text', summary: 'Say this, print the answer, end (- reads it)' },
        { name: 'continue', short: 'c', summary: 'Go on where something was said last' },
        { name: 'node', value: 'node', summary: 'Go on from this node' },
        { name: 'extend', summary: 'Have the answer there go on from its end, and end' },
        {
          name: 'model',
          short: 'm',
          value: 'name',
          isRepeated: true,
          summary: 'Model, such as demo:slow; several answer side by side',
        },
        { name: 'answers', short: 'n', value: 'count', summary: 'How many answers of each model, side by side' },
        { name: 'preset', value: 'name', summary: 'Settings of this preset instead of the defaults' },
        { name: 'reasoning', value: 'level', summary: 'How hard to think: off, low, medium, high, max' },
        {
          name: 'attach',
          short: 'a',
          value: 'file',
          summary: 'Send a file along; several times for several',
          isRepeated: true,
        },
        { name: 'system', value: 'text', summary: 'System prompt of a new conversation' },
        { name: 'yes', short: 'y', summary: 'Approve every call of a tool (with -p)' },
      ],
      examples: [
        { line: 'loom chat', meaning: 'a new conversation' },
        { line: 'loom chat "hello"', meaning: 'one that begins with that' },
        { line: 'loom chat -p "hello"', meaning: 'one answer, for scripts' },
        { line: 'loom chat -p "sum this up" < notes.md' },
        { line: 'loom chat -p "what is this?" --attach photo.jpg' },
        { line: 'loom chat "what is wrong in @main.ts?"', meaning: 'the file goes along' },
        { line: 'loom chat --continue -p "go on"' },
        { line: 'loom chat --node node-2', meaning: 'a branch from an earlier message' },
        { line: 'loom chat -p "a name for a cat" -n 3', meaning: 'three answers, as branches' },
        { line: 'loom chat --continue --extend', meaning: 'go on with an answer that was cut off' },
      ],
      load: async () => (await import('../commands/chat.ts')).chat,
    },
    {
      name: 'models',
      synonyms: ['providers', 'model'],
      summary: 'List the models that can be used, and why others cannot',
      description: `Prices are US dollars for a million tokens. A model is named with its provider,
as in --model anthropic/claude-sonnet-5; one that only one provider has may be
named alone. A model that is not in the list works too, if its provider does.`,
      parameters: [{ name: 'filter', summary: 'a part of names', isRepeated: true }],
      examples: [{ line: 'loom models' }, { line: 'loom models claude', meaning: 'those with claude in their names' }],
      load: async () => (await import('../commands/models.ts')).listModels,
    },
    ...servingCommands,
    ...exchangeCommands,
    {
      name: 'mcp',
      summary: 'Let an agent or a desktop app use your conversations by MCP',
      description: `Speaks the Model Context Protocol on standard input and output: programs such as
Claude Code start it themselves. It works beside loom serve, loom chat and other
clients. What a client may do is said when it is set up; nothing can be approved
through it. For programs that speak HTTP, loom serve has the same at /mcp.`,
      options: [
        { name: 'allow', value: 'what', summary: 'read, append or edit (default edit)' },
        { name: 'root', value: 'root', summary: 'Only this conversation; may be repeated', isRepeated: true },
        { name: 'agent', value: 'name', summary: 'The name that changes are kept under (default mcp)' },
      ],
      details: mcpClients,
      examples: [
        { line: 'loom mcp', meaning: 'what a client starts' },
        { line: 'loom mcp --allow append --agent codex', meaning: 'which may only add' },
        { line: 'loom mcp --allow read --root x7k2', meaning: 'one conversation, to look at' },
      ],
      load: async () => (await import('../commands/mcp.ts')).serveMcp,
    },
    {
      name: 'demo',
      synonyms: ['sample', 'example'],
      summary: 'Grow a sample forest in an empty data folder',
      description: `Fills an empty folder with a few conversations that show branches, tools,
approvals, file changes, to-do lists, sources, thinking, an edit and bookmarks.
The demo model says them at once; no key and no network is needed.`,
      examples: [{ line: 'loom demo', meaning: 'then loom ls, loom tree, loom chat --continue' }],
      load: async () => (await import('../commands/demo.ts')).growDemo,
    },
    {
      name: 'ls',
      synonyms: ['list', 'dir', 'conversations'],
      summary: 'List the conversations, the most recent first',
      options: [{ name: 'deleted', summary: 'List the deleted ones' }],
      load: async () => (await import('../commands/forest/ls.ts')).listRoots,
    },
    {
      name: 'show',
      synonyms: ['cat', 'view', 'print'],
      summary: 'Print a conversation from its beginning to a node',
      description: `Prints Markdown; with --json one node per line. The end of an id is enough
where it is unique: node-3, or x7k2/node-3. A root stands for its most recent
branch.`,
      parameters: [{ name: 'node', summary: 'such as node-3' }],
      examples: [{ line: 'loom show node-4' }],
      load: async () => (await import('../commands/forest/show.ts')).showNode,
    },
    {
      name: 'tree',
      synonyms: ['log', 'graph'],
      summary: 'Draw conversations as trees',
      description: `Without an id all of them; with --json one node per line.`,
      parameters: [{ name: 'id', summary: 'a root or a node', isRepeated: true }],
      examples: [{ line: 'loom tree' }, { line: 'loom tree node-2', meaning: 'from a node down' }],
      load: async () => (await import('../commands/forest/tree.ts')).showTrees,
    },
    {
      name: 'inspect',
      synonyms: ['request', 'wire'],
      summary: 'Show what was sent to a model, and what it answered',
      description: `Of the last 20 calls of a conversation it is kept what went over the wire,
without keys. For older ones it is made again from the path, and that is said.
JSON is laid out, and each event of a stream is a line.`,
      parameters: [{ name: 'node', summary: 'an answer, such as node-4' }],
      options: [
        { name: 'diff', summary: 'What is different from what was sent before that' },
        { name: 'raw', summary: 'Print it as it was sent and as it came' },
      ],
      examples: [
        { line: 'loom inspect node-4' },
        { line: 'loom inspect node-4 --diff', meaning: 'what is new in that request' },
      ],
      load: async () => (await import('../commands/forest/inspect.ts')).inspectNode,
    },
    {
      name: 'edit',
      summary: 'Give a message another text',
      description: `A message that something follows stays as it is, and the new one stands beside
it; the last message of a branch is changed in place, and its history has the
old text. What an edit costs is said first. Without a text your editor is
opened; - reads the text from standard input. With --run a message of yours is
answered at once, as with loom chat -p.`,
      parameters: [
        { name: 'node', summary: 'such as node-3' },
        { name: 'text', summary: 'the new text', isRepeated: true },
      ],
      options: [
        { name: 'in-place', summary: 'Change it under what follows, without a branch' },
        { name: 'split', summary: 'Share what both texts begin with, and branch there' },
        { name: 'run', short: 'r', summary: 'Have it answered at once' },
        { name: 'model', short: 'm', value: 'name', summary: 'Who answers with --run' },
        { name: 'yes', short: 'y', summary: 'Do not ask, and approve every call of a tool' },
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
      summary: 'Delete a node with what is below it, or a conversation',
      description: `Nothing is lost: loom restore brings it back. Bookmarks protect what they mark.`,
      parameters: [{ name: 'node', summary: 'a node or a root' }],
      options: [{ name: 'keep-children', summary: 'Delete the node alone; what is below it moves up' }],
      examples: [{ line: 'loom rm node-5' }],
      load: async () => (await import('../commands/forest/remove.ts')).removeNode,
    },
    {
      name: 'restore',
      synonyms: ['undelete'],
      summary: 'Bring back what was deleted',
      description: `For everything that a backup holds: loom restore-backup.`,
      parameters: [{ name: 'node', summary: 'a node or a root' }],
      examples: [{ line: 'loom restore node-5' }],
      load: async () => (await import('../commands/forest/remove.ts')).restoreNode,
    },
    {
      name: 'bookmark',
      synonyms: ['bookmarks', 'mark'],
      summary: 'Mark nodes, and protect them from being deleted',
      fallback: 'list',
      subcommands: [
        {
          name: 'list',
          synonyms: ['ls'],
          summary: 'List the bookmarks (also without a command)',
          load: async () => (await import('../commands/forest/bookmark.ts')).listBookmarks,
        },
        {
          name: 'add',
          summary: 'Mark a node',
          parameters: [
            { name: 'node', summary: 'such as node-3' },
            { name: 'title', summary: 'what to call it', isRepeated: true },
          ],
          examples: [{ line: 'loom bookmark add node-4 the good answer' }],
          load: async () => (await import('../commands/forest/bookmark.ts')).addBookmark,
        },
        {
          name: 'remove',
          synonyms: ['rm', 'delete'],
          summary: 'Take a mark away; the node stays',
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
        { name: 'b', summary: 'another one of the same conversation' },
      ],
      examples: [{ line: 'loom diff node-2 node-4' }],
      load: async () => (await import('../commands/texts/diff.ts')).diffNodes,
    },
    {
      name: 'read',
      summary: 'Print one text, with the numbers of its lines',
      description: `A text is named by its node (node-3) or, where a node has several, by its block
(@person/3). Lines count from 0. Ranges: 3:5 are lines 3 and 4, 3-5 are 3, 4 and
5, 3 is one line, 3: goes to the end. What is not text, such as a call, is
printed as one.`,
      parameters: [{ name: 'block', summary: 'a node or a block, such as node-3' }],
      options: [
        { name: 'lines', value: 'range', summary: 'Only these lines' },
        { name: 'at', value: 'version', summary: 'As it was at a version; see loom history' },
        { name: 'plain', summary: 'The text alone, byte for byte' },
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
      summary: 'Change lines of a text where it is',
      description: `Lines are numbered and named as loom read does it. With --expect nothing is
changed unless the lines say that. With --base-version the numbers are those of
that version, whatever was changed since; lines that were changed themselves are
refused. --ops takes several operations as a JSON list, all or none of which are
made: see loom read for numbers, and {"op": "insert", "line", "content"},
{"op": "delete" or "replace", "start_line", "end_line" (exclusive), "content",
"expected_text"}. To change a message on a branch of its own: loom edit.`,
      parameters: [{ name: 'block', summary: 'a node or a block, such as node-3' }],
      options: [
        { name: 'replace', value: 'range', summary: 'Put --with in the place of these lines' },
        { name: 'insert', value: 'line', summary: 'Put --with before this line, or at the end' },
        { name: 'delete', value: 'range', summary: 'Take these lines out' },
        { name: 'with', value: 'text', summary: 'The new lines (- reads them)' },
        { name: 'expect', value: 'text', summary: 'What the old lines have to say' },
        { name: 'ops', value: 'file', summary: 'Several operations (- reads them)' },
        { name: 'base-version', value: 'n', summary: 'The version that was read' },
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
      description: `Each hunk is applied where it says, or where all of its context is found; else
nothing is changed. Without a file the patch is read from standard input.`,
      parameters: [
        { name: 'block', summary: 'a node or a block, such as node-3' },
        { name: 'file', summary: 'the patch', isOptional: true },
      ],
      options: [{ name: 'dry-run', summary: 'Only say whether it would apply' }],
      examples: [{ line: 'loom patch node-3 fix.diff' }, { line: 'loom patch node-3 --dry-run - < fix.diff' }],
      load: async () => (await import('../commands/texts/patch.ts')).patchBlock,
    },
    {
      name: 'call',
      synonyms: ['api', 'rpc'],
      summary: 'Ask for any operation of Loom, with JSON',
      description: `Everything that can be asked of Loom is an operation with a name; without words
they are listed. Parameters are a JSON object, as a word or, with -, from
standard input; without one they are {}. The answer is printed as JSON; with
--json on one line, as {"ok": true, "value": …} or {"ok": false, "refusal": …}.`,
      parameters: [
        { name: 'operation', summary: 'such as node.append', isOptional: true },
        { name: 'json', summary: 'its parameters, or -', isOptional: true },
      ],
      examples: [
        { line: 'loom call', meaning: 'all operations' },
        { line: `loom call root.list '{"limit": 3}'` },
        { line: `loom call operation.get '{"name": "node.append"}'`, meaning: 'what one takes' },
      ],
      load: async () => (await import('../commands/call.ts')).callAnyOperation,
    },
    ...dataCommands,
    {
      name: 'undo',
      summary: 'Take back your last change',
      description: `With a text, your last edit of it; what others wrote there stays. Without one,
your last change, of whatever kind, in the conversation that was changed last.`,
      parameters: [{ name: 'block', summary: 'a node or a block', isOptional: true }],
      examples: [{ line: 'loom undo' }, { line: 'loom undo node-3', meaning: 'only in this text' }],
      load: async () => (await import('../commands/texts/undo.ts')).undoLast,
    },
    {
      name: 'redo',
      summary: 'Do again what you undid last',
      parameters: [{ name: 'block', summary: 'a node or a block', isOptional: true }],
      examples: [{ line: 'loom redo' }, { line: 'loom redo node-3' }],
      load: async () => (await import('../commands/texts/undo.ts')).redoLast,
    },
    {
      name: 'history',
      synonyms: ['versions'],
      summary: 'List the versions of a text',
      description: `When, by whom, what was changed, how many characters came and went, and the
status; the newest last. What was streamed in one answer is one row.`,
      parameters: [{ name: 'block', summary: 'a node or a block, such as node-3' }],
      options: [
        { name: 'limit', value: 'n', summary: 'Only the newest n versions (default 100)' },
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
        { line: 'loom config', meaning: 'the settings in effect, and why' },
        { line: 'loom config set defaults.temperature 0.7' },
        { line: 'loom config set providers.openai.apiKey -', meaning: 'asks for the key' },
        { line: `loom config get 'presets."gpt-4.1".n'`, meaning: 'quotes for names with dots' },
      ],
      subcommands: [
        {
          name: 'list',
          synonyms: ['ls', 'show'],
          summary: 'Show every setting with its origin (also without a command)',
          description: 'Keys and other secrets are shown masked.',
          load: async () => (await import('../commands/config/config-list.ts')).listSettings,
        },
        {
          name: 'get',
          summary: 'Print one setting',
          description: `Prints the value alone, for use in scripts. A table prints all that is in it.
Exits with 1 when the setting has no value.`,
          parameters: [{ name: 'key', summary: 'such as defaults.model' }],
          options: [{ name: 'reveal', summary: 'Print secrets in clear' }],
          examples: [
            { line: 'loom config get defaults.model' },
            { line: 'loom config get providers.openai.apiKey --reveal' },
          ],
          load: async () => (await import('../commands/config/config-get.ts')).getSetting,
        },
        {
          name: 'set',
          summary: 'Change one setting in config.toml',
          description: `Text needs no quotes of TOML's own. With - as the value it is read from standard
input: keys given that way do not end up in your shell's history. A value that
starts with a dash goes after --.`,
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
          summary: 'Remove one setting, or a whole table, from config.toml',
          parameters: [{ name: 'key', summary: 'such as defaults.model' }],
          examples: [
            { line: 'loom config unset defaults.systemPrompt' },
            { line: 'loom config unset presets.brief', meaning: 'the preset with all its values' },
          ],
          load: async () => (await import('../commands/config/config-unset.ts')).unsetSetting,
        },
        {
          name: 'edit',
          summary: 'Open config.toml in your editor, and check it afterwards',
          description: `Opens a copy in $VISUAL or $EDITOR. It takes the place of config.toml only when
it is valid; otherwise you can go on editing, and nothing is lost.`,
          load: async () => (await import('../commands/config/config-edit.ts')).editSettings,
        },
        {
          name: 'path',
          summary: 'Print where config.toml is',
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

async function mcpClients(): Promise<HelpTable[]> {
  const { clientSetups } = await import('../mcp/client-setups.ts');
  return [{ title: 'Setting up clients', rows: clientSetups }];
}

async function settingsTable(): Promise<HelpTable[]> {
  const { SETTINGS } = await import('../config/settings.ts');
  const rows = SETTINGS.filter(({ isKept }) => isKept !== true).map(
    ({ path, summary }) => [path.join('.').replaceAll('*', '<name>'), summary] as const,
  );
  return [{ title: 'Settings', rows }];
}
