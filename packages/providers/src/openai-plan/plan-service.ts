import { z } from 'zod';
import { readLimited } from '../api/wire/limited-body.ts';
import { PlanError } from './plan-error.ts';

/** The addresses of the service that logs people in, as its own metadata states them. */
export interface PlanService {
  issuer: string;
  authorize: string;
  token: string;
  keys: string;
  /** Absent if the service cannot take tokens back. */
  revoke?: string;
}

/** The place of OpenAI's metadata: https://developers.openai.com/siwc/token-sharing-open-source */
export const usualIssuer = 'https://auth.openai.com';

const metadata = z.looseObject({
  issuer: z.string(),
  authorization_endpoint: z.url(),
  token_endpoint: z.url(),
  jwks_uri: z.url(),
  revocation_endpoint: z.url().optional(),
});

/** OpenID Connect's place for metadata, then that of RFC 8414. */
const places = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server'];

/**
 * Reads where a service logs people in. Every address must be on the issuer's own origin, by https unless that is this machine: codes and tokens
 * are sent there.
 */
export async function findService(issuer: string, get: typeof globalThis.fetch): Promise<PlanService> {
  const origin = originOf(issuer);
  for (const place of places) {
    const answer = await request(get, `${issuer.replace(/\/+$/u, '')}${place}`, {});
    if (answer.status === 404) continue;
    const found = metadata.safeParse(answer.body).data;
    if (answer.status !== 200 || found === undefined) break;
    const { authorization_endpoint, token_endpoint, jwks_uri, revocation_endpoint } = found;
    const named = [authorization_endpoint, token_endpoint, jwks_uri, revocation_endpoint ?? issuer];
    if (withoutSlash(found.issuer) !== withoutSlash(issuer) || named.some((url) => originOf(url) !== origin))
      throw new PlanError('protocol', `${issuer} names addresses that are not its own. Nothing was sent there.`);
    return {
      issuer: found.issuer,
      authorize: authorization_endpoint,
      token: token_endpoint,
      keys: jwks_uri,
      ...(revocation_endpoint === undefined ? {} : { revoke: revocation_endpoint }),
    };
  }
  throw new PlanError('protocol', `${issuer} does not say how it logs people in. Check the address.`);
}

function originOf(url: string): string {
  const { protocol, hostname, origin, username, password } = URL.parse(url) ?? {};
  const isHere = hostname === '127.0.0.1' || hostname === '[::1]' || hostname === 'localhost';
  const isSafe = protocol === 'https:' || (protocol === 'http:' && isHere);
  if (origin === undefined || !isSafe || `${username}${password}` !== '')
    throw new PlanError('protocol', 'The address of a login must begin with https:// and name nobody.');
  return origin;
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/u, '');
}

export interface ServiceAnswer {
  status: number;
  /** Parsed; `undefined` if it is not JSON. */
  body: unknown;
}

/** The longest answer of a login service that is read, in bytes, and the longest wait for it, in milliseconds. */
const largest = 1_000_000;
const patience = 20_000;

/** Sends a form, or gets an address. Redirects are not followed: they would carry what is sent to another place. */
export async function request(
  send: typeof globalThis.fetch,
  url: string,
  { form }: { form?: Readonly<Record<string, string>> },
): Promise<ServiceAnswer> {
  const signal = AbortSignal.timeout(patience);
  const headers = { accept: 'application/json' };
  try {
    const answer = await send(
      url,
      form === undefined
        ? { headers, signal, redirect: 'error' }
        : { method: 'POST', headers, body: new URLSearchParams(form), signal, redirect: 'error' },
    );
    const text = await readLimited(answer, largest);
    return { status: answer.status, body: parse(text) };
  } catch {
    // The cause may repeat what was sent.
    throw new PlanError('network', `${new URL(url).host} cannot be reached. Check the network connection.`);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
