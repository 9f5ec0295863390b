import type { Command, HelpTable } from './command.ts';

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
that clients use (--name) and a token created with loom token create.`,
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
        load: async () => (await import('../commands/token.ts')).createToken,
      },
      {
        name: 'list',
        synonyms: ['ls', 'show'],
        summary: 'List valid tokens',
        load: async () => (await import('../commands/token.ts')).listTokens,
      },
      {
        name: 'revoke',
        synonyms: ['rm', 'remove', 'delete'],
        summary: 'Revoke a token',
        parameters: [{ name: 'id', summary: 'the id from loom token list' }],
        examples: [{ line: 'loom token revoke 3f9a0c12ab77' }],
        load: async () => (await import('../commands/token.ts')).revokeToken,
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
