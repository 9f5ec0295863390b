import type { Route } from '../routes/route.ts';
import type { McpDoor, McpDoorOptions } from './mcp-door.ts';

export interface McpRoutes {
  routes: Route[];
  /** Ends all open connections. */
  close(): Promise<void>;
}

/** `/mcp`: the Model Context Protocol by streamable HTTP. The protocol's library is loaded by the first who asks. */
export function mcpRoutes(options: McpDoorOptions): McpRoutes {
  let door: Promise<McpDoor> | undefined;
  const open = async (): Promise<McpDoor> => {
    const { McpDoor } = await import('./mcp-door.ts');
    return new McpDoor(options);
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
