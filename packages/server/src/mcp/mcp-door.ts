import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server';
import type { McpHttpHandler, McpServer, Server, ServerEventBus } from '@modelcontextprotocol/server';
import { z } from 'zod';
import type { OpenVisits } from '../access/open-visits.ts';
import { callerFrom } from '../access/tokens.ts';
import type { Grant } from '../access/tokens.ts';
import { answer } from '../answers/answer.ts';
import { readJsonBody } from '../guard/body.ts';
import { grantOf } from '../routes/route.ts';
import type { Visit } from '../routes/route.ts';
import { KeptSessions } from './kept-sessions.ts';
import type { SessionKeeper } from './kept-sessions.ts';
import { McpServers } from './mcp-server.ts';
import type { McpParts } from './mcp-server.ts';
import { Sessions } from './sessions.ts';
import { ResourceWatch } from './watching.ts';

export interface McpDoorOptions extends McpParts {
  visits: OpenVisits;
  /** Keeps sessions, and their subscriptions, from one process to the next. Default: clients begin new ones. */
  sessions?: SessionKeeper;
  /** Makes another server in the place of Loom's own, behind the same guard and transport: for tests of these. */
  serverFor?: (grant: Grant) => Server | McpServer;
  /** The events of that server for clients that listen. */
  bus?: ServerEventBus;
}

const listening = z.object({
  method: z.literal('subscriptions/listen'),
  params: z.object({ notifications: z.object({ resourceSubscriptions: z.array(z.string()) }) }),
});

/**
 * MCP over HTTP, behind the guard. Each request is served for the agent of its token. Clients of the revision 2026-07-28 have no session:
 * every request stands for itself, so that a server that was started anew goes on serving them.
 */
export class McpDoor {
  readonly #options: McpDoorOptions;
  readonly #serverFor: (grant: Grant) => Server | McpServer;
  readonly #sessions: Sessions;
  readonly #listening = new Set<McpHttpHandler>();

  constructor(options: McpDoorOptions) {
    const servers = new McpServers(options);
    this.#options = options;
    this.#serverFor = options.serverFor ?? ((grant) => servers.serverFor(grant));
    const given = new KeptSessions(options.sessions, options.onFailure);
    this.#sessions = new Sessions(this.#serverFor, options.visits, given);
  }

  async enter(visit: Visit): Promise<Response> {
    const { request } = visit;
    const grant = grantOf(visit);
    const body = request.method === 'POST' ? await readJsonBody(request) : undefined;
    if (await isLegacyRequest(request, body)) return withOwnHeaders(await this.#sessions.serve(request, body, grant));
    const watch = this.#watchFor(grant, body);
    const bus = watch ?? this.#options.bus;
    const handler = createMcpHandler(() => this.#serverFor(grant), {
      legacy: 'reject',
      ...(bus === undefined ? {} : { bus }),
    });
    if (watch !== undefined) {
      this.#listening.add(handler);
      watch.onEnd = () => void this.#listening.delete(handler);
    }
    return withOwnHeaders(await handler.fetch(request, { parsedBody: body }));
  }

  async close(): Promise<void> {
    await Promise.all([...this.#listening].map((handler) => handler.close()));
    await this.#sessions.close();
  }

  /** Watches for a client that listens the conversations that it names, as far as it may see them, and no others. */
  #watchFor(grant: Grant, body: unknown): ResourceWatch | undefined {
    const { data } = listening.safeParse(body);
    if (data === undefined || this.#options.bus !== undefined) return undefined;
    const caller = callerFrom(grant, this.#options.newId(), 'mcp');
    return new ResourceWatch(this.#options, caller, data.params.notifications.resourceSubscriptions);
  }
}

function withOwnHeaders({ body, status, headers }: Response): Response {
  return answer(body, status, Object.fromEntries(headers));
}
