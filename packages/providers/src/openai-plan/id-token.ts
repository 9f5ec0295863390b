import { createPublicKey, verify } from 'node:crypto';
import { z } from 'zod';
import { PlanError } from './plan-error.ts';
import type { PlanService } from './plan-service.ts';
import { request } from './plan-service.ts';

/** The person that an ID token names, as far as Loom shows it. */
export interface Identity {
  subject: string;
  /** Only if the service has verified it. */
  email?: string;
}

export interface Expectation {
  service: PlanService;
  /** The client that the token must be for. */
  client: string;
  nonce: string;
  now: number;
  fetch: typeof globalThis.fetch;
}

const header = z.looseObject({ alg: z.enum(['RS256', 'ES256']), kid: z.string().optional() });
const claims = z.looseObject({
  iss: z.string(),
  sub: z.string().min(1),
  aud: z.union([z.string(), z.array(z.string())]),
  exp: z.number(),
  iat: z.number(),
  nonce: z.string(),
  email: z.string().max(320).optional().catch(undefined),
  email_verified: z.boolean().optional().catch(undefined),
});
const keySet = z.looseObject({
  keys: z.array(z.looseObject({ kty: z.string(), kid: z.string().exactOptional(), use: z.string().exactOptional() })),
});

/** The clocks of two machines may differ by this many seconds. */
const leeway = 60;

/** Checks an ID token: who signed it, for whom, when, and that it belongs to this login. */
export async function readIdToken(token: string, expected: Expectation): Promise<Identity> {
  const { service, client, nonce, now, fetch } = expected;
  const [first = '', second = '', signature = ''] = token.split('.');
  const head = header.safeParse(part(first)).data;
  const body = claims.safeParse(part(second)).data;
  if (head === undefined || body === undefined) throw refused('cannot be read');
  const answer = await request(fetch, service.keys, {});
  const known = keySet.safeParse(answer.body).data?.keys ?? [];
  const kind = head.alg === 'RS256' ? 'RSA' : 'EC';
  const fitting = known.filter(({ kty, kid, use }) => kty === kind && kid === head.kid && (use ?? 'sig') === 'sig');
  const signed = Buffer.from(`${first}.${second}`);
  if (!fitting.some((key) => isSigned(key, signed, Buffer.from(signature, 'base64url'))))
    throw refused('is not signed by the service');
  const audience = [body.aud].flat();
  if (body.iss !== service.issuer || audience.length !== 1 || audience[0] !== client)
    throw refused('is for another program');
  if (body.exp + leeway < now / 1000 || body.iat - leeway > now / 1000) throw refused('is out of date');
  if (body.nonce !== nonce) throw refused('belongs to another login');
  const { sub: subject, email } = body;
  return email !== undefined && body.email_verified === true ? { subject, email } : { subject };
}

function isSigned(key: z.infer<typeof keySet>['keys'][number], signed: Buffer, signature: Buffer): boolean {
  try {
    const publicKey = createPublicKey({ key, format: 'jwk' });
    return verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, signature);
  } catch {
    return false;
  }
}

function part(text: string): unknown {
  try {
    return JSON.parse(Buffer.from(text, 'base64url').toString());
  } catch {
    return undefined;
  }
}

function refused(why: string): PlanError {
  return new PlanError('protocol', `The login was not accepted: what proves who you are ${why}. Log in again.`);
}
