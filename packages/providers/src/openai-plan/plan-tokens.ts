import { z } from 'zod';
import type { Attempt, Granted } from './authorization.ts';
import { PlanError } from './plan-error.ts';
import type { PlanService, ServiceAnswer } from './plan-service.ts';
import { request } from './plan-service.ts';

/** The tokens that a service gives for a code or a refresh token. */
export interface Tokens {
  access: string;
  refresh?: string;
  id?: string;
  /** Milliseconds since 1970. */
  expires: number;
  /** Before this a refresh token is not to be used: an early refresh spends it. */
  refreshFrom?: number;
  /** The granted scopes, if the answer says so. */
  granted?: string[];
}

const answerOf = z.looseObject({
  access_token: z.string().min(1).max(20_000),
  token_type: z.string().regex(/^bearer$/iu),
  expires_in: z.number().positive(),
  refresh_token: z.string().min(1).max(20_000).optional(),
  id_token: z.string().max(50_000).optional(),
  scope: z.string().optional(),
  earliest_refresh_at: z.union([z.number(), z.string()]).optional().catch(undefined),
});

export async function exchangeCode(
  { service, redirect, api, verifier }: Attempt,
  { code, client }: Granted,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Promise<Tokens> {
  const form = {
    grant_type: 'authorization_code',
    code,
    client_id: client,
    code_verifier: verifier,
    redirect_uri: redirect,
    resource: api,
  };
  const answer = await request(fetch, service.token, { form });
  const read = readTokens(answer, now());
  if (read === undefined)
    throw new PlanError('protocol', `The login was not completed (status ${answer.status}). Try again.`);
  return read;
}

export interface RefreshOrder {
  service: PlanService;
  client: string;
  refresh: string;
  api: string;
}

/** Changes a refresh token for new tokens. Throws `logged-out` if it is of no use any more. */
export async function refreshTokens(
  { service, client, refresh, api }: RefreshOrder,
  { fetch, now }: { fetch: typeof globalThis.fetch; now: () => number },
): Promise<Tokens> {
  const form = { grant_type: 'refresh_token', client_id: client, refresh_token: refresh, resource: api };
  const answer = await request(fetch, service.token, { form });
  const read = readTokens(answer, now());
  if (read !== undefined) return read;
  const { data: problem } = failure.safeParse(answer.body);
  const code = typeof problem?.error === 'string' ? problem.error : problem?.error?.code;
  if (answer.status < 500 && code !== undefined && final.has(code))
    throw new PlanError('logged-out', 'The login has ended. Log in again.');
  throw new PlanError('network', `The login could not be renewed (status ${answer.status}). Try again later.`);
}

const failure = z.looseObject({ error: z.union([z.string(), z.looseObject({ code: z.string() })]) });

/** https://developers.openai.com/siwc/token-sharing-open-source/errors-and-recovery */
const final: ReadonlySet<string> = new Set([
  'invalid_grant',
  'invalid_client',
  'invalid_refresh_token',
  'token_expired',
  'refresh_token_expired',
  'refresh_token_invalidated',
  'refresh_token_reused',
]);

/** Takes a refresh token back. Returns false if the service has not confirmed it. */
export async function revokeToken(
  { service, client, refresh }: Omit<RefreshOrder, 'api'>,
  fetch: typeof globalThis.fetch,
): Promise<boolean> {
  if (service.revoke === undefined) return false;
  const form = { token: refresh, token_type_hint: 'refresh_token', client_id: client };
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    const answer = await request(fetch, service.revoke, { form }).catch(() => undefined);
    if (answer !== undefined && answer.status < 500) return answer.status === 200;
  }
  return false;
}

function readTokens({ status, body }: ServiceAnswer, now: number): Tokens | undefined {
  const read = status === 200 ? answerOf.safeParse(body).data : undefined;
  if (read === undefined) return undefined;
  const { refresh_token: refresh, id_token: id, scope, earliest_refresh_at: earliest } = read;
  const refreshFrom = timeOf(earliest);
  return {
    access: read.access_token,
    expires: now + read.expires_in * 1000,
    ...(refresh === undefined ? {} : { refresh }),
    ...(id === undefined ? {} : { id }),
    ...(refreshFrom === undefined ? {} : { refreshFrom }),
    ...(scope === undefined ? {} : { granted: scope.split(/\s+/u).filter((word) => word !== '') }),
  };
}

/** A time whose unit is not documented: seconds or milliseconds since 1970, or a date. */
function timeOf(value: number | string | undefined): number | undefined {
  if (typeof value === 'number') return value < 1e11 ? value * 1000 : value;
  const parsed = value === undefined ? Number.NaN : Date.parse(value);
  return Number.isNaN(parsed) ? undefined : parsed;
}
