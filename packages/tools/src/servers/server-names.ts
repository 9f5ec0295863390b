/** The longest name of a tool that all vendors take. */
const longestName = 64;

/**
 * Returns the beginning of the names of a server's tools. It has no two underscores in a row, and so no server can give a tool the name of
 * another server's: rules are about names.
 */
export function serverPrefix(server: string): string {
  const plain = server
    .replaceAll(/[^A-Za-z0-9_-]+/gu, '-')
    .replaceAll(/__+/gu, '_')
    .replaceAll(/^[_-]+|[_-]+$/gu, '');
  return `${plain === '' ? 'server' : plain.slice(0, 24)}__`;
}

/** Returns the name under which a model calls a tool of a server; nothing where it would be too long. */
export function serverToolName(server: string, tool: string): string | undefined {
  const name = `${serverPrefix(server)}${tool.replaceAll(/[^A-Za-z0-9_-]+/gu, '-')}`;
  return name.length > longestName ? undefined : name;
}

/** The name in the list of what is switched off that stands for all tools of a server. */
export function wholeServer(server: string): string {
  return `${serverPrefix(server)}*`;
}
