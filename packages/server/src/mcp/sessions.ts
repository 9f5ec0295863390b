import { randomBytes } from 'node:crypto';
import {
  isInitializeRequest,
  legacyStatelessFallback,
  SUPPORTED_PROTOCOL_VERSIONS,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server';
import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { OpenVisits } from '../access/open-visits.ts';
import type { Grant, Identity } from '../access/tokens.ts';
import type { KeptSessions } from './kept-sessions.ts';
import { RecentMessages } from './recent-messages.ts';

type ServerFor = (grant: Grant) => Server | McpServer;

interface Session {
  /** The owner of the session: the id alone opens nothing. */
  owner: string;
  transport: WebStandardStreamableHTTPServerTransport;
  sent: RecentMessages;
}

/** The number of sessions of one token kept at once; its own that was used longest ago makes room. It comes back when its client does. */
const mostOfToken = 32;

interface OpenSession {
  token: string;
  opening: Promise<Session>;
}

/**
 * Clients of the revisions before 2026-07-28, which begin with a handshake and may keep a session. A session is no more than a
 * convenience: one that an earlier process has given is taken up again under the same id.
 */
export class Sessions {
  readonly #serverFor: ServerFor;
  readonly #sessions = new Map<string, OpenSession>();
  readonly #visits: OpenVisits;
  readonly #given: KeptSessions;

  constructor(serverFor: ServerFor, visits: OpenVisits, given: KeptSessions) {
    this.#serverFor = serverFor;
    this.#visits = visits;
    this.#given = given;
  }

  async serve(request: Request, body: unknown, grant: Grant): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    const parsedBody = body === undefined ? {} : { parsedBody: body };
    if (id === null) {
      if (!isInitializeRequest(body)) return this.#serveAlone(grant)(request, parsedBody);
      const { transport } = await this.#open(grant);
      return transport.handleRequest(request, parsedBody);
    }
    const session = await this.#find(id, request, grant);
    if (session === undefined) return notFound();
    if (request.method === 'DELETE') await this.#end(id);
    else await this.#given.note(id, session.owner, body);
    return session.transport.handleRequest(knownPlace(request, session.sent), parsedBody);
  }

  async close(): Promise<void> {
    const open = await Promise.allSettled([...this.#sessions.values()].map(({ opening }) => opening));
    this.#sessions.clear();
    for (const session of open) if (session.status === 'fulfilled') await session.value.transport.close();
  }

  /** Serves a request without a session. */
  #serveAlone(grant: Grant): ReturnType<typeof legacyStatelessFallback> {
    return legacyStatelessFallback(() => this.#serverFor(grant));
  }

  async #find(id: string, request: Request, grant: Grant): Promise<Session | undefined> {
    const known = this.#sessions.get(id);
    if (known === undefined) {
      if (!(await this.#given.isKnown(id, ownerOf(grant.identity))) || request.method === 'DELETE') return undefined;
      return this.#resume(id, request, grant);
    }
    const session = await known.opening;
    if (session.owner !== ownerOf(grant.identity)) return undefined;
    this.#sessions.delete(id);
    this.#sessions.set(id, known);
    return session;
  }

  async #open(grant: Grant): Promise<Session> {
    const id = `loom-${randomBytes(16).toString('hex')}`;
    const opened = this.#connect(id, grant);
    this.#keep(id, grant.token, opened);
    // Before the client knows of it.
    await this.#given.begin(id, ownerOf(grant.identity));
    return opened;
  }

  async #connect(id: string, grant: Grant): Promise<Session> {
    const { identity, token } = grant;
    const sent = new RecentMessages();
    const transport = new WebStandardStreamableHTTPServerTransport({ sessionIdGenerator: () => id, eventStore: sent });
    await this.#serverFor(grant).connect(transport);
    // A client that is given another token goes on with it, as after a restart.
    const leave = this.#visits.enter(token, () => {
      this.#sessions.delete(id);
      void transport.close();
    });
    const { onclose: closed } = transport;
    const onclose = (): void => {
      leave();
      closed?.();
    };
    Object.assign(transport, { onclose });
    return { owner: ownerOf(identity), transport, sent };
  }

  /** Repeats the handshake that an earlier process had with the client, and the client's subscriptions. */
  #resume(id: string, request: Request, grant: Grant): Promise<Session> {
    const asked = request.headers.get('mcp-protocol-version') ?? '';
    const [newest = ''] = SUPPORTED_PROTOCOL_VERSIONS;
    const protocolVersion = SUPPORTED_PROTOCOL_VERSIONS.includes(asked) ? asked : newest;
    const resume = async (): Promise<Session> => {
      const session = await this.#connect(id, grant);
      const say = async (method: string, params: object, known: Record<string, string> = {}): Promise<void> => {
        const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...known };
        const parsedBody = { jsonrpc: '2.0', id: `resume ${method}`, method, params };
        const again = new Request(request.url, { method: 'POST', headers, body: JSON.stringify(parsedBody) });
        // Read to its end: a request whose answer is not read may be given up.
        await (await session.transport.handleRequest(again, { parsedBody })).text();
      };
      await say('initialize', { protocolVersion, capabilities: {}, clientInfo: { name: 'resumed', version: '0' } });
      const known = { 'mcp-session-id': id, 'mcp-protocol-version': protocolVersion };
      for (const uri of await this.#given.of(id, session.owner)) {
        await say('resources/subscribe', { uri }, known);
      }
      return session;
    };
    const resumed = resume();
    this.#keep(id, grant.token, resumed);
    return resumed;
  }

  #keep(id: string, token: string, opening: Promise<Session>): void {
    this.#sessions.set(id, { token, opening });
    const own = [...this.#sessions].filter(([, open]) => open.token === token);
    const [oldest] = own;
    if (own.length <= mostOfToken || oldest === undefined) return;
    this.#sessions.delete(oldest[0]);
    void oldest[1].opening.then(({ transport }) => transport.close()).catch(() => {});
  }

  async #end(id: string): Promise<void> {
    this.#sessions.delete(id);
    await this.#given.forget(id);
  }
}

function ownerOf(identity: Identity): string {
  return JSON.stringify(identity);
}

/** Drops a place that is unknown or no longer known: the stream goes on from now. */
function knownPlace(request: Request, sent: RecentMessages): Request {
  const place = request.headers.get('last-event-id');
  if (place === null || sent.knows(place)) return request;
  const headers = new Headers(request.headers);
  headers.delete('last-event-id');
  return new Request(request.url, { method: request.method, headers, signal: request.signal });
}

function notFound(): Response {
  const error = { code: -32_001, message: 'There is no such session. Begin a new one with initialize.' };
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 404 });
}
