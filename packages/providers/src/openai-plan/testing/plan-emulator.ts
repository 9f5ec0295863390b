import { createHash, createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { isPlainObject } from '@loom/blocks';
import type { EmulatedWire, Emulator, Received } from '../../testing/emulators/core.ts';
import { startEmulator } from '../../testing/emulators/core.ts';
import { responsesWire } from '../../testing/emulators/openai-responses.ts';
import { listOf } from '../../testing/emulators/openai-rules.ts';

/** OpenAI's login service and its API as their public documentation describes them, on loopback. Nobody has compared it with the live ones. */
export interface PlanEmulator {
  issuer: string;
  api: string;
  /** Everything that was asked of the login service: `POST /token refresh_token`. */
  readonly asked: readonly string[];
  /** Requests of the API. */
  readonly requests: Emulator['requests'];
  readonly tokens: { access: Set<string>; refresh: Set<string>; everMade: string[] };
  /** The behavior of the next answers; changed by tests. */
  readonly whims: Whims;
  /** Opens the page as a browser whose person agrees; returns what the browser is told at the end. */
  agree(url: string): Promise<string>;
  /** The address that such a browser is sent to, without going there. */
  returnOf(url: string): Promise<string>;
  close(): Promise<void>;
}

interface Whims {
  subject: string;
  granted: string;
  denies?: boolean;
  /** Fields of the ID token that differ from the right ones. */
  claims: Record<string, unknown>;
  signsWrongly?: boolean;
  /** The status of the next answers of the token endpoint. */
  tokenStatus?: number;
  /** Holds back refreshes until it resolves. */
  hold?: Promise<void>;
  usedUp?: boolean;
}

const everything = 'openid profile email offline_access resource.invoke chatgpt.tokens.use.direct';
const keys = generateKeyPairSync('rsa', { modulusLength: 2048 });
const others = generateKeyPairSync('rsa', { modulusLength: 2048 });

interface Code {
  client: string;
  challenge: string;
  redirect: string;
  nonce: string;
  resource: string;
}

export async function startPlanEmulator(now: () => number = Date.now): Promise<PlanEmulator> {
  const asked: string[] = [];
  const codes = new Map<string, Code>();
  const everMade: string[] = [];
  const tokens = { access: new Set<string>(), refresh: new Set<string>(), everMade };
  const refreshFrom = new Map<string, number>();
  const whims: Whims = { subject: 'user-1', granted: everything, claims: {} };
  const made = (kind: string): string => {
    const token = `${kind}-${randomUUID()}`;
    tokens.everMade.push(token);
    return token;
  };
  const api = await startEmulator(planWire(tokens.access, whims), ({ said }) => ({
    said:
      said === 'use the tool' ? [{ call: 'add', arguments: '{"a":1}', id: 'call_1' }] : [{ say: `You said: ${said}` }],
  }));

  const authorize = (query: URLSearchParams): { status: number; to?: string } => {
    const get = (name: string): string => query.get(name) ?? '';
    const redirect = get('redirect_uri');
    const isKnown =
      get('client_id') === 'dynamic_agent_client'
        ? get('agent_name_hint') !== ''
        : get('client_id').startsWith('oaiapp_');
    const isRight =
      /^http:\/\/127\.0\.0\.1:\d+\/auth\/callback$/u.test(redirect) &&
      isKnown &&
      get('response_type') === 'code' &&
      get('code_challenge_method') === 'S256' &&
      get('scope') === everything &&
      /^urn:uuid:[0-9a-f-]{36}$/u.test(get('ext_agent_host_id')) &&
      [get('state'), get('nonce'), get('code_challenge')].every((text) => text.length >= 43);
    if (!isRight) return { status: 400 };
    const to = new URL(redirect);
    to.searchParams.set('state', get('state'));
    if (whims.denies === true) {
      to.searchParams.set('error', 'access_denied');
      return { status: 302, to: to.href };
    }
    const client = get('client_id') === 'dynamic_agent_client' ? `oaiapp_${randomUUID()}` : get('client_id');
    const code = made('code');
    codes.set(code, {
      client,
      challenge: get('code_challenge'),
      redirect,
      nonce: get('nonce'),
      resource: get('resource'),
    });
    for (const [name, value] of Object.entries({ code, client_id: client, scope: whims.granted }))
      to.searchParams.set(name, value);
    return { status: 302, to: to.href };
  };

  const give = (client: string, nonce?: string): object => {
    const [access, refresh] = [made('access'), made('refresh')];
    tokens.access.add(access);
    tokens.refresh.add(refresh);
    // Six minutes before the end, as others have seen it.
    refreshFrom.set(refresh, now() + 54 * 60_000);
    const id_token = nonce === undefined ? {} : { id_token: idToken(client, nonce) };
    return {
      access_token: access,
      token_type: 'Bearer',
      expires_in: 3600,
      refresh_token: refresh,
      scope: whims.granted,
      earliest_refresh_at: Math.floor((now() + 54 * 60_000) / 1000),
      ...id_token,
    };
  };

  const idToken = (client: string, nonce: string): string => {
    const seconds = Math.floor(now() / 1000);
    const claims = {
      iss: service.issuer,
      sub: whims.subject,
      aud: [client],
      exp: seconds + 3600,
      iat: seconds,
      nonce,
      email: 'jo@example.com',
      email_verified: true,
      ...whims.claims,
    };
    const text = [{ alg: 'RS256', kid: 'key-1' }, claims]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.');
    const key = whims.signsWrongly === true ? others.privateKey : keys.privateKey;
    const token = `${text}.${createSign('sha256').update(text).sign(key, 'base64url')}`;
    tokens.everMade.push(token);
    return token;
  };

  const token = (form: URLSearchParams): { status: number; body: object } => {
    const refused = (error: string): { status: number; body: object } => ({ status: 400, body: { error } });
    if (whims.tokenStatus !== undefined)
      return { status: whims.tokenStatus, body: { error: 'temporarily_unavailable' } };
    if (form.get('grant_type') === 'authorization_code') {
      const code = codes.get(form.get('code') ?? '');
      codes.delete(form.get('code') ?? '');
      const challenge = createHash('sha256')
        .update(form.get('code_verifier') ?? '')
        .digest('base64url');
      const isRight =
        code !== undefined &&
        challenge === code.challenge &&
        form.get('redirect_uri') === code.redirect &&
        form.get('client_id') === code.client &&
        form.get('resource') === code.resource;
      return isRight ? { status: 200, body: give(code.client, code.nonce) } : refused('invalid_grant');
    }
    const refresh = form.get('refresh_token') ?? '';
    // Used or too early: it is spent.
    const isRight = tokens.refresh.delete(refresh) && now() >= (refreshFrom.get(refresh) ?? 0);
    return isRight ? { status: 200, body: give(form.get('client_id') ?? '') } : refused('invalid_grant');
  };

  const server = createServer((incoming, response) => {
    const url = new URL(incoming.url ?? '', 'http://127.0.0.1');
    const send = (status: number, body: object): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body));
    };
    void readForm(incoming).then(async (form) => {
      const kind = form.get('grant_type') ?? '';
      asked.push(`${incoming.method ?? ''} ${url.pathname} ${kind}`.trim());
      switch (url.pathname) {
        case '/.well-known/openid-configuration':
          return send(200, {
            issuer: service.issuer,
            authorization_endpoint: `${service.issuer}/authorize`,
            token_endpoint: `${service.issuer}/token`,
            jwks_uri: `${service.issuer}/keys`,
            revocation_endpoint: `${service.issuer}/revoke`,
          });
        case '/keys':
          return send(200, {
            keys: [{ ...keys.publicKey.export({ format: 'jwk' }), kid: 'key-1', use: 'sig', alg: 'RS256' }],
          });
        case '/authorize': {
          const { status, to } = authorize(url.searchParams);
          response.writeHead(status, to === undefined ? {} : { location: to });
          return response.end();
        }
        case '/token': {
          if (kind === 'refresh_token') await whims.hold;
          const { status, body } = token(form);
          return send(status, body);
        }
        case '/revoke':
          tokens.refresh.delete(form.get('token') ?? '');
          tokens.access.clear();
          return send(200, {});
        default:
          return send(404, {});
      }
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const service = {
    issuer: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    api: `${api.url}/v1`,
    asked,
    requests: api.requests,
    tokens,
    whims,
    async returnOf(page: string): Promise<string> {
      const answer = await fetch(page, { redirect: 'manual' });
      return answer.headers.get('location') ?? `status ${answer.status}`;
    },
    async agree(page: string): Promise<string> {
      return (await fetch(await service.returnOf(page))).text();
    },
    close: async (): Promise<void> => {
      await api.close();
      server.closeAllConnections();
      await new Promise<void>((resolve) => void server.close(() => resolve()));
    },
  };
  return service;
}

/** Refuses what the public API refuses from requests that a plan pays. */
export function planWire(access: Pick<ReadonlySet<string>, 'has'>, whims: Pick<Whims, 'usedUp'>): EmulatedWire {
  return {
    ...responsesWire,
    refuse(request) {
      const { json, headers } = request;
      const [, bearer = ''] = /^Bearer (.*)$/u.exec(headers['authorization'] ?? '') ?? [];
      if (!access.has(bearer))
        return { status: 401, kind: 'invalid_token', message: `This token is of no use: ${bearer}` };
      if (whims.usedUp === true)
        return { status: 429, kind: 'subscription_sharing_usage_limit_exceeded', message: 'The limit is reached.' };
      if (!isPlainObject(json)) return { status: 400, kind: 'invalid_request_error', message: 'No JSON.' };
      const refused = refusedFields.find((name) => json[name] !== undefined);
      const isWhole = json['store'] === false && json['stream'] === true && Array.isArray(json['input']);
      const hasSystem = listOf(json['input']).some(({ role }) => role === 'system');
      const problem =
        refused ??
        (isWhole ? undefined : 'store, stream or input') ??
        (hasSystem ? 'a message of the system' : undefined);
      if (problem !== undefined)
        return { status: 400, kind: 'subscription_sharing_unsupported_capability', message: `Unsupported: ${problem}` };
      return responsesWire.refuse(plainly(request));
    },
    respond: ({ path, method }) => {
      const models = [
        { slug: 'gpt-5.4', display_name: 'GPT-5.4', visibility: 'list' },
        { slug: 'gpt-hidden', display_name: 'Hidden', visibility: 'hide' },
      ];
      return method === 'GET' && path.startsWith('/v1/models') ? JSON.stringify({ models }) : undefined;
    },
  };
}

/** https://developers.openai.com/siwc/token-sharing-open-source/preview-limitations */
const refusedFields = (
  'background conversation max_output_tokens max_tool_calls metadata moderation multi_agent previous_response_id prompt ' +
  'prompt_cache_retention safety_identifier temperature top_logprobs top_p truncation user'
).split(' ');

/** The same request with its tools where the plain API has them. */
function plainly(request: Received): Received {
  if (!isPlainObject(request.json)) return request;
  const { input, ...json } = request.json;
  const items = listOf(input);
  const tools = items.filter(({ type }) => type === 'additional_tools').flatMap((item) => listOf(item['tools']));
  const rest = items.filter(({ type }) => type !== 'additional_tools');
  return { ...request, json: { ...json, input: rest, ...(tools.length === 0 ? {} : { tools }) } };
}

async function readForm(incoming: IncomingMessage): Promise<URLSearchParams> {
  let text = '';
  for await (const part of incoming.setEncoding('utf8')) text += String(part);
  return new URLSearchParams(text);
}
