import type { EventEmitter } from 'node:events';
import { createServer, STATUS_CODES } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { getRequestListener } from '@hono/node-server';
import type { BlobPort, Clock, LoomEngine } from '@loom/kernel';
import { WebSocketServer } from 'ws';
import { BlobReaders } from './access/blob-readers.ts';
import { callsOfTokens } from './access/calls-of-tokens.ts';
import { TurnsOfTokens } from './access/turns-of-tokens.ts';
import { OneTimeSecrets } from './access/one-time-secrets.ts';
import type { SecretPort } from './access/one-time-secrets.ts';
import { OpenVisits } from './access/open-visits.ts';
import { TokenLimits } from './access/token-limits.ts';
import type { Limits, Release } from './access/token-limits.ts';
import { grantSchema } from './access/tokens.ts';
import type { Identity, Tokens } from './access/tokens.ts';
import { WrongCodes } from './access/wrong-codes.ts';
import { answerProblem, describeProblem } from './answers/answer.ts';
import { fail, problem, ProblemError } from './answers/problems.ts';
import type { Problem } from './answers/problems.ts';
import { followTurns } from './push/turn-news.ts';
import type { PushNetwork, Pushes } from './push/pushes.ts';
import { createApp } from './app.ts';
import type { Admission } from './app.ts';
import { eventRoutes } from './feed/event-stream.ts';
import { ListDoor } from './feed/list-door.ts';
import { Rooms } from './feed/rooms.ts';
import { frameLimit, SocketDoor } from './feed/socket-door.ts';
import { judge } from './guard/guard.ts';
import type { GuardOptions, Verdict } from './guard/guard.ts';
import type { McpDoorOptions } from './mcp/mcp-door.ts';
import { mcpRoutes } from './mcp/mcp-routes.ts';
import type { McpRoutes } from './mcp/mcp-routes.ts';
import { healthRoutes } from './observing/health-routes.ts';
import { measureCalls, waitsByNature } from './observing/measured-call.ts';
import { describeFailure } from './observing/server-log.ts';
import type { WriteLog } from './observing/server-log.ts';
import { ServerMeasures } from './observing/server-measures.ts';
import { pageRoutes } from './page/page-routes.ts';
import type { PageFiles } from './page/page-routes.ts';
import { blobRoutes } from './routes/blob-routes.ts';
import { operationRoutes } from './routes/operation-routes.ts';
import { Generations } from './routes/original/generations.ts';
import { originalRoutes } from './routes/original/original-routes.ts';
import { accessOf } from './routes/route.ts';
import type { Route } from './routes/route.ts';
import { codeGrantSchema, signInRoutes } from './routes/sign-in-routes.ts';
import type { CodeGrant } from './routes/sign-in-routes.ts';
import type { Share } from './sharing/shares.ts';
import { SharedCopies } from './sharing/shared-copies.ts';
import { shareRoutes } from './sharing/share-routes.ts';
import { uploadRoutes } from './routes/upload-routes.ts';
import type { UploadPort } from './routes/upload-routes.ts';

export interface LoomServerOptions {
  engine: LoomEngine;
  blobs: BlobPort;
  /** Keeps files that are sent to be imported. */
  uploads: UploadPort;
  tokens: Tokens;
  /** Keeps sign-in codes and tickets until they are used. */
  secrets: SecretPort;
  clock: Clock;
  newId: () => string;
  /** The page for browsers. Default: a sentence that says how to build it. */
  page?: PageFiles;
  /** The version of this Loom, for the health route. */
  version?: string;
  /** Receives events for the log of the server. */
  log?: WriteLog;
  /** Returns the free space on the disk of the data, in bytes. */
  diskRoom?: () => Promise<number | undefined>;
  /** The state that `/mcp` keeps between two processes, and a replacement for Loom's own server of that protocol. */
  mcp?: Pick<McpDoorOptions, 'serverFor' | 'bus' | 'sessions'>;
  /** Reaches push services. Default: nothing is pushed. */
  pushNetwork?: PushNetwork;
  /** Other limits for what each token may have at once. */
  limits?: Partial<Limits>;
  /** Receives failures that a client learns no more of than that they happened. */
  onFailure?: (error: unknown) => void;
}

export interface ListenOptions {
  /** 0 takes a free one. */
  port: number;
  /** The address to listen on. Default: 127.0.0.1. */
  host?: string;
  /** Names beside the address itself by which clients may call the server, each with its port. */
  names?: readonly string[];
  /** The address by which browsers reach it through a proxy, without a slash at its end. Links name it, and its host is one of the names. */
  publicUrl?: string;
}

/** The lifetimes of a sign-in code and of a ticket, in milliseconds. */
const codeLifetime = 5 * 60_000;
const ticketLifetime = 30_000;

/** The interval at which a stopping server looks for idle connections, and the time after which it cuts the others, in milliseconds. */
const idlePause = 20;
const longestClosing = 2000;

/** The address of the feed by WebSocket. */
const feedPath = '/api/v1/feed';

/** Loom on the network: every operation by HTTP, and the events of conversations by WebSocket and server-sent events. */
export class LoomServer {
  /** The routes of the server. */
  readonly routes: readonly Route[];
  readonly #codes: OneTimeSecrets<CodeGrant>;
  readonly #guard: GuardOptions;
  readonly #measures: ServerMeasures;
  readonly #rooms: Rooms;
  readonly #lists: ListDoor;
  readonly #sockets: SocketDoor;
  readonly #generations: Generations;
  readonly #mcp: McpRoutes;
  readonly #visits: OpenVisits;
  /** The open pages of the readers of shares. */
  readonly #readers: OpenVisits;
  readonly #limits: TokenLimits;
  readonly #upgrades = new WebSocketServer({ noServer: true, maxPayload: frameLimit, perMessageDeflate: false });
  readonly #server: Server;
  readonly #push: Pushes;
  readonly #pushNetwork: PushNetwork | undefined;
  readonly #followTurns: () => () => void;
  #stopFollowing = (): void => {};
  #names: readonly string[] = [];
  #ownAddress = '';
  #publicAddress = '';

  constructor(options: LoomServerOptions) {
    const { engine, blobs, uploads, tokens, clock, newId, version = '', log = () => {} } = options;
    const onFailure = (error: unknown): void => {
      log({ level: 'error', event: 'failed', ...describeFailure(error) });
      options.onFailure?.(error);
    };
    const measures = new ServerMeasures({
      engine,
      clients: () => [
        [{ of: 'conversations' }, this.#rooms.members],
        [{ of: 'list' }, this.#lists.size],
      ],
    });
    this.#measures = measures;
    this.#push = tokens.push;
    this.#pushNetwork = options.pushNetwork;
    this.#followTurns = () => followTurns({ engine, newId, tell: (news) => tokens.push.tell(news), onFailure });
    const now = (): number => clock.now();
    this.#visits = new OpenVisits(tokens, clock);
    this.#readers = new OpenVisits(tokens.shares, clock);
    this.#limits = new TokenLimits(options.limits);
    const readers = new BlobReaders(engine.forest);
    tokens.subscribe((token) => readers.forget(token));
    const called = callsOfTokens({
      engine: measureCalls({ engine, measures, log, now: () => performance.now() }),
      turns: new TurnsOfTokens({
        turns: engine.turns,
        agentTurns: engine.agentTurns,
        visits: this.#visits,
        newId,
        onFailure,
      }),
      limits: this.#limits,
      blobs: readers,
    });
    const { secrets: port } = options;
    const tickets = new OneTimeSecrets({ port, kind: 'ticket', lifetime: ticketLifetime, grant: grantSchema });
    this.#codes = new OneTimeSecrets({ port, kind: 'sign-in-code', lifetime: codeLifetime, grant: codeGrantSchema });
    this.#rooms = new Rooms({ engine, clock, onFailure });
    this.#lists = new ListDoor({ engine, clock, newId, onFailure, sent: measures.sent('events') });
    this.#sockets = new SocketDoor({
      engine,
      rooms: this.#rooms,
      lists: this.#lists,
      clock,
      newId,
      onFailure,
      sent: measures.sent('socket'),
    });
    this.#mcp = mcpRoutes({ engine: called, newId, clock, onFailure, visits: this.#visits, ...options.mcp });
    this.#generations = new Generations({ engine, clock });
    this.routes = [
      ...pageRoutes(options.page ?? { document: undefined, assets: [] }),
      ...signInRoutes({
        tokens,
        codes: this.#codes,
        wrongCodes: new WrongCodes(now),
        tickets,
        now,
        address: () => this.#publicAddress,
      }),
      ...operationRoutes(called, newId),
      ...originalRoutes(called, newId, this.#generations),
      ...blobRoutes(blobs, readers),
      ...uploadRoutes(uploads),
      ...shareRoutes({
        engine,
        copies: new SharedCopies({ engine, blobs }),
        readers: this.#readers,
        shares: tokens.shares,
        clock,
      }),
      ...eventRoutes({ engine, rooms: this.#rooms, clock, newId, sent: measures.sent('events') }),
      ...healthRoutes({ engine, measures, version, ...(options.diskRoom && { diskRoom: options.diskRoom }) }),
      ...this.#mcp.routes,
      ...this.#lists.routes,
      { method: 'GET', path: feedPath, access: 'ticket', handle: () => answerProblem(problem('no-upgrade')) },
    ];
    const accessTo = accessOf(this.routes);
    this.#guard = {
      names: () => this.#names,
      findToken: (token) => tokens.look(token),
      findShare: (secret) => tokens.shares.find(secret),
      redeemTicket: async (ticket) => {
        const grant = await tickets.redeem(ticket).catch((error: unknown) => {
          onFailure(error);
          return undefined;
        });
        if (grant === undefined) return undefined;
        // Its token may have been made by another process a moment ago.
        if (tokens.endOf(grant.token) === 0) await tokens.refresh().catch(onFailure);
        return tokens.endOf(grant.token) > now() ? grant : undefined;
      },
      accessTo,
    };
    const app = createApp(this.routes, onFailure);
    const admissions = new WeakMap<object, Admission>();
    const listener = getRequestListener(
      async (request, { incoming, outgoing }) => {
        const admission = admissions.get(incoming);
        if (admission === undefined) return answerProblem(problem('bad-request'));
        const release = await this.#admit(admission);
        try {
          return this.#watch(await app.fetch(request, admission), outgoing, admission);
        } finally {
          release();
        }
      },
      {
        overrideGlobalObjects: false,
        errorHandler: (error) => answerProblem(error instanceof ProblemError ? error.problem : problem('bad-request')),
      },
    );
    const receive = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
      const verdict = await this.#judge(incoming);
      if (!verdict.ok) {
        measures.turnedAway({ reason: verdict.problem.reason });
        return turnAway(outgoing, verdict.problem);
      }
      admissions.set(incoming, { ...verdict, address: incoming.socket.remoteAddress ?? '' });
      await listener(incoming, outgoing);
    };
    this.#server = createServer((incoming, outgoing) => void receive(incoming, outgoing).catch(onFailure));
    // Longer than clients keep an idle connection: one that was closed here a moment before would fail their next request.
    this.#server.keepAliveTimeout = 65_000;
    this.#server.on('upgrade', (incoming, socket, head) => {
      // Until the socket is taken over it has no other listener, and a failure without one would end the process.
      socket.on('error', () => socket.destroy());
      void this.#upgrade(incoming, socket, head).catch(onFailure);
    });
  }

  /** Begins to listen. Returns the address to open. */
  async listen({ port, host = '127.0.0.1', names = [], publicUrl }: ListenOptions): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#server.once('error', reject);
    this.#server.listen(port, host, resolve);
    await promise;
    this.#server.off('error', reject);
    const { port: taken } = addressOf(this.#server);
    const own = host.includes(':') ? `[${host}]` : host;
    const local = isLoopback(host) ? ['localhost'] : isEveryAddress(host) ? ['127.0.0.1', 'localhost'] : [];
    this.#ownAddress = `http://${isEveryAddress(host) ? '127.0.0.1' : own}:${taken}`;
    const outside = publicUrl === undefined ? names : [...names, new URL(publicUrl).host];
    this.#names = [...[own, ...local].map((name) => `${name}:${taken}`), ...outside.map((name) => name.toLowerCase())];
    this.#publicAddress =
      publicUrl ?? `http://${isLoopback(host) ? `${own}:${taken}` : (names[0] ?? `${own}:${taken}`)}`;
    if (this.#pushNetwork !== undefined) this.#push.serve(this.#publicAddress, this.#pushNetwork);
    if (this.#push.hindrance === undefined) this.#stopFollowing = this.#followTurns();
    return this.#publicAddress;
  }

  /** The address by which other processes of this machine call it. */
  get ownAddress(): string {
    return this.#ownAddress;
  }

  /** A code by which a browser signs in once, within five minutes. */
  issueCode(identity: Identity): Promise<string> {
    return this.#codes.issue({ identity });
  }

  /** Stops letting requests in, ends the feeds, and waits for answers that are under way, but not for clients that stall. */
  async close(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#server.close(() => resolve());
    this.#stopFollowing();
    this.#push.stop();
    this.#sockets.close();
    this.#rooms.close();
    this.#lists.close();
    this.#generations.close();
    this.#measures.stop();
    await this.#mcp.close();
    this.#server.closeIdleConnections();
    // A connection that becomes idle from now on, after an answer or after the rest of a request that was refused, would be kept for later.
    const idle = setInterval(() => this.#server.closeIdleConnections(), idlePause);
    const stalled = setTimeout(() => this.#server.closeAllConnections(), longestClosing);
    await promise;
    clearInterval(idle);
    clearTimeout(stalled);
  }

  #judge({ method = '', url = '', rawHeaders }: IncomingMessage): Promise<Verdict> {
    return judge({ method, target: url, rawHeaders }, this.#guard);
  }

  /** Waits until the token of a request may have one more under way. Open routes have no token, and nothing that costs much. */
  async #admit({ grant, share, url }: Admission): Promise<Release> {
    const holder = grant?.token ?? limitedAs(share);
    if (holder === undefined) return () => {};
    const kind = waitsByNature(url.pathname.split('/').at(-1) ?? '') ? 'waits' : 'requests';
    return (await this.#limits.enter(holder, kind)) ?? fail('too-many-requests');
  }

  /** A stream goes on for as long as its token or its share is valid, which has so many at once. */
  #watch(answer: Response, outgoing: EventEmitter & { destroy(): unknown }, { grant, share }: Admission): Response {
    const holder = grant?.token ?? limitedAs(share);
    if (holder === undefined || answer.headers.get('content-type') !== 'text/event-stream') return answer;
    const release = this.#limits.take(holder, 'streams');
    if (release === undefined) {
      void answer.body?.cancel();
      return answerProblem(problem('too-many-streams'));
    }
    // The stream of a share says itself that the link ended, and ends.
    const leave = grant === undefined ? () => {} : this.#visits.enter(grant.token, () => outgoing.destroy());
    outgoing.once('close', () => {
      leave();
      release();
    });
    return answer;
  }

  async #upgrade(incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // A client that goes away in between must not fail the server.
    socket.on('error', () => {});
    const verdict = await this.#judge(incoming);
    if (!verdict.ok) return refuseUpgrade(socket, verdict.problem);
    const { url, grant } = verdict;
    if (url.pathname !== feedPath || grant === undefined) return refuseUpgrade(socket, problem('not-found'));
    const release = this.#limits.take(grant.token, 'streams');
    if (release === undefined) return refuseUpgrade(socket, problem('too-many-streams'));
    socket.once('close', release);
    this.#upgrades.handleUpgrade(incoming, socket, head, (accepted) => {
      const end = this.#sockets.enter(accepted, grant.identity);
      accepted.once('close', this.#visits.enter(grant.token, end));
    });
  }
}

/** The name under which the readers of a share are counted, all together. */
function limitedAs(share: Share | undefined): string | undefined {
  return share === undefined ? undefined : `share/${share.id}`;
}

function turnAway(outgoing: ServerResponse, refused: Problem): void {
  const { status, headers, body } = describeProblem(refused);
  outgoing.writeHead(status, headers).end(body);
}

function refuseUpgrade(socket: Duplex, refused: Problem): void {
  const { status, headers, body } = describeProblem(refused);
  const all = { ...headers, 'content-length': String(Buffer.byteLength(body)), connection: 'close' };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.join('')}\r\n${body}`);
}

export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\.\d+\.\d+\.\d+$/u.test(host);
}

function isEveryAddress(host: string): boolean {
  return host === '0.0.0.0' || host === '::';
}

function addressOf(server: Server): AddressInfo {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server listens on no port');
  return address;
}
