import type { Command, HelpTable } from './command.ts';

/** The options of commands about rules. */
const ruleOptions = [
  { name: 'tool', value: 'name', summary: 'The tool (default: shell)' },
  { name: 'dir', value: 'folder', summary: 'The folder of the conversation' },
  { name: 'mode', value: 'mode', summary: 'The mode: plan, ask, edit or sandbox' },
];

/** The commands about agents, and about the server and who may use it. */
export const servingCommands: Command[] = [
  {
    name: 'agents',
    synonyms: ['agent'],
    summary: 'List the agents on this machine that can answer',
    description: `Agents are programs of others, such as Claude Code, with the login that they
have. Loom starts them, shows what they do and asks you what they ask. Name one
with loom chat --agent, and a model of it with --model.`,
    examples: [{ line: 'loom agents' }, { line: 'loom chat --agent claude', meaning: 'talk to Claude Code' }],
    load: async () => (await import('../commands/agents.ts')).listAgents,
  },
  {
    name: 'serve',
    synonyms: ['server', 'start', 'up', 'web'],
    summary: 'Open Loom in a browser, and to other programs',
    description: `Prints an address to open in a browser; it signs you in once, within five
minutes. Programs use HTTP with a token: every operation is
POST /api/v1/<operation>, and GET /api/v1/openapi.json describes all of them.
With --json, prints one line when the server is ready:
{"url": …, "token": …, "pid": …}.

Other machines can reach the server only with --host. That requires the names
that clients use (--name) and a token created with loom token create.

With --store postgres://… or LOOM_STORE it serves the conversations in that
database, beside any number of other processes on any machine. The variable is
the better place: other users of the machine see command lines.`,
    options: [
      { name: 'port', value: 'n', summary: 'Listen on this port (default 4177, or a free one)' },
      { name: 'host', value: 'address', summary: 'Listen on this address (default 127.0.0.1)' },
      {
        name: 'name',
        value: 'names',
        summary: 'Names and ports that clients may use; may be repeated',
        isRepeated: true,
      },
      { name: 'public-url', value: 'url', summary: 'Public address of a proxy, for links' },
      { name: 'follow', summary: 'Import what agents on this machine write' },
    ],
    examples: [
      { line: 'loom serve', meaning: 'then open the address it prints' },
      { line: 'loom serve --port 0 --json', meaning: 'for programs' },
      { line: 'loom serve --host 0.0.0.0 --name loom.example:4177' },
      { line: 'loom serve --public-url https://loom.example' },
    ],
    takesDatabase: true,
    load: async () => (await import('../commands/serve.ts')).serve,
  },
  {
    name: 'open',
    synonyms: ['login', 'signin', 'link'],
    summary: 'Print a new sign-in link for the running server',
    description: `The link signs a browser in once, within five minutes. It opens the page of any
process that keeps the data folder open: loom serve or a chat.`,
    examples: [{ line: 'loom open' }],
    load: async () => (await import('../commands/open.ts')).printLink,
  },
  {
    name: 'token',
    synonyms: ['tokens', 'key'],
    summary: 'Create, list and revoke access tokens',
    description: `A token belongs to an agent, whose name is recorded with every change made with
the token. The token is shown only once, when it is created; Loom keeps only its
hash.`,
    fallback: 'list',
    examples: [
      { line: 'loom token create bot', meaning: 'for a program that reads and writes' },
      { line: 'loom token create ada --type person --role owner' },
      { line: 'loom token', meaning: 'lists them' },
    ],
    subcommands: [
      {
        name: 'create',
        synonyms: ['add', 'new', 'make'],
        summary: 'Create a token and print it once',
        description: `A reader reads, an appender adds messages, a writer changes conversations and
runs models, and an owner may do everything. Only a token of type person can
approve tool calls.`,
        parameters: [{ name: 'agent', summary: 'name recorded with its changes' }],
        options: [
          { name: 'type', value: 'type', summary: 'person, tool, model or importer (default tool)' },
          { name: 'role', value: 'role', summary: 'What it may do (default writer)' },
          {
            name: 'root',
            value: 'conversation',
            summary: 'Limit to this conversation; may be repeated',
            isRepeated: true,
          },
          { name: 'days', value: 'n', summary: 'Days until it expires (default: never)' },
        ],
        examples: [
          { line: 'loom token create bot --role reader --days 30' },
          { line: 'loom token create helper --root x2sv --root 7k9q' },
        ],
        takesDatabase: true,
        load: async () => (await import('../commands/token.ts')).createToken,
      },
      {
        name: 'list',
        synonyms: ['ls', 'show'],
        summary: 'List valid tokens',
        takesDatabase: true,
        load: async () => (await import('../commands/token.ts')).listTokens,
      },
      {
        name: 'revoke',
        synonyms: ['rm', 'remove', 'delete'],
        summary: 'Revoke a token',
        parameters: [{ name: 'id', summary: 'the id from loom token list' }],
        examples: [{ line: 'loom token revoke 3f9a0c12ab77' }],
        takesDatabase: true,
        load: async () => (await import('../commands/token.ts')).revokeToken,
      },
    ],
  },
  {
    name: 'tenant',
    synonyms: ['tenants', 'organization'],
    summary: 'Create, list, export and delete tenants of a database',
    description: `A tenant is a schema of a PostgreSQL database (--store or LOOM_STORE): an
organization with its own conversations, people, tokens and files. Each is
served by processes of its own.`,
    fallback: 'list',
    examples: [{ line: 'loom tenant create acme' }, { line: 'loom tenant', meaning: 'lists them' }],
    subcommands: [
      {
        name: 'create',
        synonyms: ['add', 'new', 'make'],
        summary: 'Create an empty tenant',
        parameters: [{ name: 'name', summary: 'up to 48 of a-z, 0-9 and _' }],
        takesDatabase: true,
        load: async () => (await import('../commands/tenants/tenant.ts')).createTenant,
      },
      {
        name: 'list',
        synonyms: ['ls', 'show'],
        summary: 'List the tenants of the database',
        takesDatabase: true,
        load: async () => (await import('../commands/tenants/tenant.ts')).showTenants,
      },
      {
        name: 'export',
        summary: 'Export everything of a tenant, as loom export-store does',
        parameters: [
          { name: 'name', summary: 'the tenant' },
          { name: 'file', summary: 'a new file, or - for standard output' },
        ],
        options: [{ name: 'since', value: 'export', summary: 'Only what this earlier export lacks' }],
        takesDatabase: true,
        load: async () => (await import('../commands/tenants/tenant.ts')).exportTenant,
      },
      {
        name: 'delete',
        synonyms: ['rm', 'remove', 'drop'],
        summary: 'Delete a tenant with everything in it',
        description: `Without --yes you see what would be deleted. It is refused while a process uses
the tenant. Backups of the database still have it.`,
        parameters: [{ name: 'name', summary: 'the tenant' }],
        options: [{ name: 'yes', short: 'y', summary: 'Delete; without this, only shows what would be deleted' }],
        takesDatabase: true,
        load: async () => (await import('../commands/tenants/tenant.ts')).deleteTenant,
      },
    ],
  },
  {
    name: 'share',
    synonyms: ['publish'],
    summary: 'Show a branch to others by a read-only link',
    description: `People who have a link read what it shows, and nothing else of Loom, for as
long as it lasts. They see no system prompts, no thinking and nothing that is
added later; keys, tokens and passwords are replaced by dots. A link works while
loom serve runs, for those who can reach it.`,
    fallback: 'list',
    examples: [
      { line: 'loom share create node-4', meaning: 'the branch that ends there' },
      { line: 'loom share', meaning: 'lists the links' },
    ],
    subcommands: [
      {
        name: 'create',
        synonyms: ['add', 'new', 'make'],
        summary: 'Make a link and print it once',
        description: `A message shares the branch that ends there; a conversation shares its most
recent branch, or with --tree all that there are now. What the link would show
is looked through for secrets first, and what is found is listed, never whole.`,
        parameters: [{ name: 'node', summary: 'a node or a conversation, such as node-3' }],
        options: [
          { name: 'days', value: 'n', summary: 'Days until it ends (default 7)' },
          { name: 'tree', summary: 'Show all branches of the conversation' },
          { name: 'thinking', summary: 'Show thinking' },
          { name: 'no-tools', summary: 'Leave out calls of tools and their results' },
          { name: 'keep-secrets', summary: 'Show keys, tokens and passwords as they are' },
        ],
        examples: [{ line: 'loom share create node-4 --days 1' }, { line: 'loom share create x2sv --tree' }],
        load: async () => (await import('../commands/share.ts')).createShare,
      },
      {
        name: 'save',
        synonyms: ['html', 'file'],
        summary: 'Write what a link would show as one HTML file',
        description: `The file needs no server and runs no script. It has what a link of the same
options shows; nothing is shared by writing it.`,
        parameters: [{ name: 'node', summary: 'a node or a conversation, such as node-3' }],
        options: [
          {
            name: 'out',
            value: 'file',
            summary: 'Write to this file (default: standard output)',
          },
          { name: 'tree', summary: 'Show all branches of the conversation' },
          { name: 'thinking', summary: 'Show thinking' },
          { name: 'no-tools', summary: 'Leave out calls of tools and their results' },
          { name: 'keep-secrets', summary: 'Show keys, tokens and passwords as they are' },
        ],
        examples: [{ line: 'loom share save node-4 --out talk.html' }],
        load: async () => (await import('../commands/share.ts')).saveShare,
      },
      {
        name: 'list',
        synonyms: ['ls', 'show'],
        summary: 'List links, and when they end',
        load: async () => (await import('../commands/share.ts')).listShares,
      },
      {
        name: 'revoke',
        synonyms: ['rm', 'remove', 'delete', 'end'],
        summary: 'End a link, also in pages that show it',
        parameters: [{ name: 'id', summary: 'the id from loom share list' }],
        examples: [{ line: 'loom share revoke 3f9a0c12ab77' }],
        load: async () => (await import('../commands/share.ts')).revokeShare,
      },
    ],
  },
  {
    name: 'mcp',
    summary: 'Give an agent or desktop app access through MCP',
    description: `Speaks the Model Context Protocol on standard input and output: programs such as
Claude Code start it themselves. It works beside loom serve, loom chat and other
clients. You decide what a client may do when you set it up; nothing can be
approved through it. Programs that speak HTTP use /mcp of loom serve.`,
    options: [
      { name: 'allow', value: 'what', summary: 'read, append or edit (default edit)' },
      { name: 'root', value: 'root', summary: 'Limit to this conversation; may be repeated', isRepeated: true },
      { name: 'agent', value: 'name', summary: 'Name recorded with its changes (default mcp)' },
    ],
    details: mcpClients,
    examples: [
      { line: 'loom mcp', meaning: 'what a client starts' },
      { line: 'loom mcp --allow append --agent codex', meaning: 'which may only add' },
      { line: 'loom mcp --allow read --root x7k2', meaning: 'one conversation, to look at' },
    ],
    load: async () => (await import('../commands/mcp.ts')).serveMcp,
  },
];

async function mcpClients(): Promise<HelpTable[]> {
  const { clientSetups } = await import('../mcp/client-setups.ts');
  return [{ title: 'Setting up clients', rows: clientSetups }];
}

/** The options of `loom chat` about the folder that its tools work in. */
export const folderOptions = [
  { name: 'agent', value: 'name', summary: 'Let an agent on this machine answer (claude)' },
  { name: 'dir', value: 'folder', summary: 'Let tools work in this folder' },
  { name: 'mode', value: 'mode', summary: 'How freely: plan, ask, edit or sandbox' },
];

/** The commands about models that act: tasks for scripts, their tools, and the decisions of people. */
export const agentCommands: Command[] = [
  {
    name: 'run',
    synonyms: ['exec', 'task', 'agent'],
    summary: 'Have a model do a task with tools, for scripts',
    description: `Works in the current folder, or in --dir, and asks nobody: a call that would
need a person is denied unless a rule of yours or the mode allows it. The answer
goes to stdout; with --json every event is one line, and the last line tells how
it ended: {"root": …, "node": …, "outcome": …}.

Exit codes: 0 done, 3 done but calls were denied, 4 a spending limit was
reached, 1 anything else that kept it from its end, 2 a wrong command line.`,
    parameters: [{ name: 'task', summary: 'what to do; - reads standard input', isRepeated: true }],
    options: [
      { name: 'dir', value: 'folder', summary: 'Work in this folder (default: the current one)' },
      { name: 'mode', value: 'mode', summary: 'How freely: plan, ask (the default), edit or sandbox' },
      { name: 'model', short: 'm', value: 'name', summary: 'Model, such as anthropic/claude-sonnet-5' },
      { name: 'max-cost', value: 'dollars', summary: 'Stop once this much was spent' },
      { name: 'reasoning', value: 'level', summary: 'How hard to think: off, low, medium, high, max' },
      { name: 'preset', value: 'name', summary: 'Use the settings of this preset' },
      { name: 'attach', short: 'a', value: 'file', summary: 'Attach a file; may be repeated', isRepeated: true },
      { name: 'system', value: 'text', summary: 'System prompt' },
    ],
    examples: [
      { line: 'loom run "what does this project do?"', meaning: 'reads the current folder' },
      { line: 'loom run --mode edit "fix the typos in docs"', meaning: 'may change files' },
      { line: 'loom run --mode sandbox --max-cost 0.50 "make the tests pass"' },
      { line: 'loom run --json - < task.md', meaning: 'events as JSON lines' },
    ],
    load: async () => (await import('../commands/agents/run.ts')).runTask,
  },
  {
    name: 'board',
    synonyms: ['turns', 'running'],
    summary: 'See what needs you, runs and has ended, in all conversations',
    description: `Lists turns of models, of agents, and of sessions that Loom follows: those that
wait for you first, the oldest of them on top.`,
    options: [{ name: 'hours', value: 'n', summary: 'Show what has ended in the last n hours (default 24)' }],
    examples: [
      { line: 'loom board' },
      { line: 'loom board --hours 1', meaning: 'what has ended in the last hour, too' },
    ],
    load: async () => (await import('../commands/agents/board.ts')).showBoard,
  },
  {
    name: 'tools',
    synonyms: ['tool'],
    summary: 'List the tools that models are offered, and why others are not',
    description: `Without an id, for a new conversation. ✔ marks the tools that a model is
offered; that depends on the model too, because some were trained on particular
tools. To choose the tools of a conversation, use /tools in a chat.`,
    parameters: [{ name: 'id', summary: 'a conversation', isOptional: true }],
    options: [
      { name: 'model', short: 'm', value: 'name', summary: 'For this model' },
      { name: 'dir', value: 'folder', summary: 'For a new conversation in this folder' },
    ],
    examples: [
      { line: 'loom tools --dir . --model openai/gpt-5' },
      { line: 'loom tools x7k2', meaning: 'those of a conversation' },
    ],
    load: async () => (await import('../commands/agents/tools.ts')).listTools,
  },
  {
    name: 'approvals',
    synonyms: ['approval', 'permissions', 'waiting'],
    summary: 'See and decide what waits for your permission',
    description: `Lists the calls that wait in all conversations, with the exact command or
change, and the latest decisions.`,
    fallback: 'list',
    subcommands: [
      {
        name: 'list',
        synonyms: ['ls'],
        summary: 'List what waits and what was decided (the default)',
        options: [{ name: 'limit', value: 'n', summary: 'Show only the latest n decisions (default 20)' }],
        load: async () => (await import('../commands/agents/approvals.ts')).listApprovals,
      },
      {
        name: 'allow',
        synonyms: ['approve', 'yes'],
        summary: 'Let a call run',
        parameters: [{ name: 'node', summary: 'the node of the call, such as node-4' }],
        options: [
          { name: 'for', value: 'reach', summary: 'once (the default), conversation, folder or anywhere' },
          { name: 'mode', value: 'mode', summary: 'For a plan: the mode that follows (ask, edit or sandbox)' },
        ],
        examples: [
          { line: 'loom approvals allow node-4' },
          { line: 'loom approvals allow node-4 --for conversation', meaning: 'and what the shown rule covers' },
        ],
        load: async () => (await import('../commands/agents/approvals.ts')).allowCall,
      },
      {
        name: 'deny',
        synonyms: ['no', 'refuse'],
        summary: 'Deny a call, with a reason for the model',
        parameters: [
          { name: 'node', summary: 'the node of the call' },
          { name: 'reason', summary: 'why', isRepeated: true },
        ],
        examples: [{ line: 'loom approvals deny node-4 "use npm instead"' }],
        load: async () => (await import('../commands/agents/approvals.ts')).denyCall,
      },
      {
        name: 'answer',
        summary: 'Answer the question of a call',
        parameters: [
          { name: 'node', summary: 'the node of the call' },
          { name: 'answer', summary: 'your answer', isRepeated: true },
        ],
        examples: [{ line: 'loom approvals answer node-4 blue' }],
        load: async () => (await import('../commands/agents/approvals.ts')).answerCall,
      },
      {
        name: 'rules',
        synonyms: ['rule'],
        summary: 'List the rules that decide, and how often each did',
        load: async () => (await import('../commands/agents/rules.ts')).listRules,
      },
      {
        name: 'test',
        synonyms: ['try', 'check'],
        summary: 'Say what would happen to a command; nothing runs',
        parameters: [
          { name: 'command', summary: 'the command line, or the path or machine for --tool', isRepeated: true },
        ],
        options: ruleOptions,
        examples: [{ line: 'loom approvals test "npm test" --mode edit' }],
        load: async () => (await import('../commands/agents/rules.ts')).testCall,
      },
      {
        name: 'add',
        summary: 'Store a rule behind the others',
        parameters: [
          { name: 'action', summary: 'allow, ask or deny' },
          { name: 'pattern', summary: 'a command, with * as its last word for any arguments', isRepeated: true },
        ],
        options: ruleOptions.filter(({ name }) => name !== 'mode'),
        examples: [
          { line: 'loom approvals add allow "npm test *" --dir .' },
          { line: 'loom approvals add deny "secrets/**" --tool write', meaning: 'a path, for a file tool' },
        ],
        load: async () => (await import('../commands/agents/rules.ts')).addRule,
      },
      {
        name: 'forget',
        summary: 'Remove a rule: what it covered asks again',
        parameters: [{ name: 'rule', summary: 'the id of the rule, from loom approvals rules' }],
        load: async () => (await import('../commands/agents/rules.ts')).forgetRule,
      },
    ],
  },
];

const provider = { name: 'provider', summary: 'whose plan; chatgpt is the only one', isOptional: true };

/** The commands for logins that stand in for a key. */
export const loginCommands: Command[] = [
  {
    name: 'login',
    synonyms: ['signin', 'sign-in'],
    summary: 'Log in with a ChatGPT plan, in place of a key',
    description: `Off until the setting providers.chatgpt.plan is true. Prints the page of OpenAI
on which you log in, and waits for your browser to come back. Its models are
then named chatgpt/<model>, and your plan pays for them.

Written from OpenAI's public documentation and tried against an emulator of it,
never against the live service.`,
    parameters: [provider],
    examples: [{ line: 'loom login chatgpt' }, { line: 'loom models chatgpt', meaning: 'what your plan has' }],
    load: async () => (await import('../commands/login.ts')).logIn,
  },
  {
    name: 'logout',
    synonyms: ['signout', 'sign-out'],
    summary: 'Log out of a plan: its tokens are taken back',
    parameters: [provider],
    examples: [{ line: 'loom logout chatgpt' }],
    load: async () => (await import('../commands/login.ts')).logOut,
  },
];
