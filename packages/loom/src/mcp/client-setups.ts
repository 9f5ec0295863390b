/** The setup of `loom mcp` in other programs: the program, and the command or the text for its settings. */
export const clientSetups: readonly (readonly [string, string])[] = [
  ['Claude Code', 'claude mcp add -s user loom -- loom mcp --agent claude-code'],
  ['Codex', 'codex mcp add loom -- loom mcp --agent codex'],
  ['Gemini CLI', 'gemini mcp add -s user loom loom mcp -- --agent gemini'],
  ['Claude Desktop', '{"mcpServers": {"loom": {"command": "loom", "args": ["mcp"]}}}'],
  ['Cursor', 'the same in ~/.cursor/mcp.json'],
  ['VS Code', '{"servers": {"loom": {"command": "loom", "args": ["mcp"]}}}'],
  ['opencode', 'mcp.servers.loom: {"type":"local","command":["loom","mcp"]}'],
  ['By HTTP', 'the address of loom serve with /mcp, and a token of its own'],
];
