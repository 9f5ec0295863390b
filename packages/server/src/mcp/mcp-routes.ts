import type { Route } from '../routes/route.ts';
import type { McpDoor } from './mcp-door.ts';
import type { McpParts } from './mcp-server.ts';

export interface McpRoutes {
  routes: Route[];
  /** Ends what is open. */
  close(): Promise<void>;
}

/** `/mcp`: the Model Context Protocol by streamable HTTP. The protocol's library is loaded by the first who asks. */
export function mcpRoutes(parts: McpParts, onFailure: (error: unknown) => void): McpRoutes {
  let door: Promise<McpDoor> | undefined;
  const open = async (): Promise<McpDoor> => {
    const { McpDoor } = await import('./mcp-door.ts');
    return new McpDoor(parts, onFailure);
  };
  const methods = ['POST', 'GET', 'DELETE'] as const;
  return {
    routes: methods.map((method) => ({
      method,
      path: '/mcp',
      access: 'token',
      handle: async (visit) => (await (door ??= open())).enter(visit),
    })),
    close: async () => (await door)?.close(),
  };
}
