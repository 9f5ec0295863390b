/** How programs are told to start `loom mcp`: the program, and the command or what to put into its settings. */
export const clientSetups: readonly (readonly [string, string])[] = [
  ['Claude Code', 'claude mcp add loom -- loom mcp --agent claude-code'],
  ['Codex', 'codex mcp add loom -- loom mcp --agent codex'],
  ['Gemini CLI', 'gemini mcp add loom loom mcp'],
  ['Claude Desktop', '{"mcpServers": {"loom": {"command": "loom", "args": ["mcp"]}}}'],
  ['VS Code', '{"servers": {"loom": {"command": "loom", "args": ["mcp"]}}}'],
  ['By HTTP', 'the address of loom serve with /mcp, and a token of its own'],
];
