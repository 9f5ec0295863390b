import { createMcpHandler } from '@modelcontextprotocol/server';
import type { AuthInfo, McpHttpHandler, McpRequestContext, Server } from '@modelcontextprotocol/server';
import type { Identity } from '../access/tokens.ts';
import { answer } from '../answers/answer.ts';
import { fail } from '../answers/problems.ts';
import { readJsonBody } from '../guard/body.ts';
import { identityOf } from '../routes/route.ts';
import type { Visit } from '../routes/route.ts';
import { McpServers } from './mcp-server.ts';
import type { McpParts } from './mcp-server.ts';

/** MCP over HTTP, behind the guard. Each request is served for the agent of its token. */
export class McpDoor {
  readonly #servers: McpServers;
  readonly #handler: McpHttpHandler;
  /** What the SDK hands on with a request stands for the agent. */
  readonly #identities = new WeakMap<AuthInfo, Identity>();

  constructor(parts: McpParts, onFailure: (error: unknown) => void) {
    this.#servers = new McpServers(parts);
    this.#handler = createMcpHandler((context) => this.#serverFor(context), { onerror: onFailure });
  }

  async enter(visit: Visit): Promise<Response> {
    const { request } = visit;
    const authInfo: AuthInfo = { token: '', clientId: '', scopes: [] };
    this.#identities.set(authInfo, identityOf(visit));
    const body = request.method === 'POST' ? { parsedBody: await readJsonBody(request) } : {};
    return withOwnHeaders(await this.#handler.fetch(request, { authInfo, ...body }));
  }

  #serverFor({ authInfo }: McpRequestContext): Server {
    const identity = authInfo === undefined ? undefined : this.#identities.get(authInfo);
    return this.#servers.serverFor(identity ?? fail('no-token'));
  }

  close(): Promise<void> {
    return this.#handler.close();
  }
}

function withOwnHeaders({ body, status, headers }: Response): Response {
  return answer(body, status, Object.fromEntries(headers));
}
