import type { Command } from './command.ts';

const server = { name: 'name', summary: 'the name of the server, from loom servers' };
const names = { name: 'name', summary: 'a tool from loom tools, or a server', isRepeated: true };

/** `loom servers`. */
export const serversCommand: Command = {
  name: 'servers',
  synonyms: ['mcp-servers'],
  summary: 'See MCP servers and their tools, and switch tools off',
  description: `Servers that speak the Model Context Protocol lend models their tools. They run
with your own rights, outside of the sandbox, so each call of their tools asks,
until you allow it. They are part of the settings:

    loom config set mcp_servers.files.command npx
    loom config set mcp_servers.files.args '["-y", "@example/mcp-files"]'
    loom config set mcp_servers.web.url https://mcp.example.org/mcp

A tool whose description changes is off until you have reviewed it.`,
  fallback: 'list',
  subcommands: [
    {
      name: 'list',
      synonyms: ['ls'],
      summary: 'List the servers, their state and their tools (the default)',
      load: async () => (await import('../commands/agents/servers.ts')).listServers,
    },
    {
      name: 'off',
      summary: 'Switch tools or servers off for all conversations',
      parameters: [names],
      examples: [{ line: 'loom servers off fetch_url', meaning: 'no model reads web pages' }],
      load: async () => (await import('../commands/agents/servers.ts')).switchOff,
    },
    {
      name: 'on',
      summary: 'Switch them on again',
      parameters: [names],
      load: async () => (await import('../commands/agents/servers.ts')).switchOn,
    },
    {
      name: 'restart',
      synonyms: ['retry', 'start'],
      summary: 'End a server and start it again now',
      parameters: [server],
      load: async () => (await import('../commands/agents/servers.ts')).restartServer,
    },
    {
      name: 'log',
      summary: 'Show what a server printed',
      parameters: [server],
      load: async () => (await import('../commands/agents/servers.ts')).showLog,
    },
    {
      name: 'review',
      summary: 'Show what changed in the description of a tool',
      parameters: [{ name: 'tool', summary: 'the tool, as loom servers names it' }],
      options: [{ name: 'accept', summary: 'Let models have the tool as it is described now' }],
      load: async () => (await import('../commands/agents/servers.ts')).reviewTool,
    },
  ],
};
