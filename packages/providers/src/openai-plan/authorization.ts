import { createHash } from 'node:crypto';
import { PlanError } from './plan-error.ts';
import type { PlanService } from './plan-service.ts';

/** Stands for a program that is not registered yet; the answer names the client that was made for it. */
export const unregistered = 'dynamic_agent_client';
/** Requests for what the plan pays: https://developers.openai.com/siwc/token-sharing-open-source/sign-in */
export const planScope = 'chatgpt.tokens.use.direct';
const scopes = `openid profile email offline_access resource.invoke ${planScope}`;
/** The same in every installation. */
const programName = 'Loom';

/** One attempt to log in: what was made up for it, and is expected back. */
export interface Attempt {
  /** The service as the settings name it. */
  issuer: string;
  service: PlanService;
  /** The client of an earlier login, or `unregistered`. */
  client: string;
  /** Names this installation; made once. */
  host: string;
  redirect: string;
  /** The API that the tokens are for. */
  api: string;
  state: string;
  nonce: string;
  verifier: string;
  /** From the last login, so that the right account is offered. */
  hints: { idToken?: string; email?: string };
}

/** The page on which a person logs in. */
export function authorizeAddress({ service, client, host, redirect, api, hints, ...attempt }: Attempt): string {
  const url = new URL(service.authorize);
  const asked: Record<string, string> = {
    response_type: 'code',
    client_id: client,
    redirect_uri: redirect,
    scope: scopes,
    resource: api,
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: createHash('sha256').update(attempt.verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ext_agent_host_id: host,
    ...(client === unregistered ? { agent_name_hint: programName } : {}),
    ...(hints.idToken === undefined ? {} : { id_token_hint: hints.idToken }),
    ...(hints.email === undefined ? {} : { login_hint: hints.email }),
  };
  for (const [name, value] of Object.entries(asked)) url.searchParams.set(name, value);
  return url.href;
}

/** The code that the browser brought back, and the client that it is for. */
export interface Granted {
  code: string;
  client: string;
}

/** Reads the address that the browser was sent back to; `undefined` if it belongs to another attempt. */
export function readReturn({ state, client, service }: Attempt, returned: URL): Granted | undefined {
  const given = returned.searchParams;
  if (given.getAll('state').length !== 1 || given.get('state') !== state) return undefined;
  const issuer = given.get('iss');
  if (issuer !== null && issuer !== service.issuer) return undefined;
  const error = given.get('error');
  if (error === 'access_denied') throw new PlanError('declined', 'The login was declined in the browser.');
  if (error !== null) throw new PlanError('protocol', `The login failed (${plain(error)}). Try again.`);
  const [code, issued] = [given.get('code') ?? '', given.get('client_id') ?? client];
  const isOther = issued === unregistered || (client !== unregistered && issued !== client);
  if (code === '' || isOther || given.getAll('code').length > 1 || given.getAll('client_id').length > 1)
    throw new PlanError('protocol', 'The login brought back something else than a code for Loom. Try again.');
  return { code, client: issued };
}

/** The error codes of OAuth are words; anything else is not repeated. */
function plain(error: string): string {
  return /^[a-z_]{1,60}$/u.test(error) ? error : 'for an unknown reason';
}
