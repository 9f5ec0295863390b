/** How programs are told to start `loom mcp`: the program, and the command or the lines of its settings. */
export const clientSetups: readonly (readonly [string, string])[] = [
  ['Claude Code', 'claude mcp add loom -- loom mcp --agent claude-code'],
  ['Codex', 'codex mcp add loom -- loom mcp --agent codex'],
  ['Gemini CLI', 'gemini mcp add loom loom mcp'],
  ['Claude Desktop', 'claude_desktop_config.json: {"mcpServers": {"loom": {"command": "loom", "args": ["mcp"]}}}'],
  ['Cursor', '.cursor/mcp.json: {"mcpServers": {"loom": {"command": "loom", "args": ["mcp"]}}}'],
  ['VS Code', '.vscode/mcp.json: {"servers": {"loom": {"command": "loom", "args": ["mcp"]}}}'],
  ['By HTTP', 'the address of loom serve with /mcp, and the header Authorization: Bearer <token>'],
];
