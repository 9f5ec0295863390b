import { createPrivateKey, createSign, generateKeyPairSync } from 'node:crypto';
import { z } from 'zod';

/** The pair of keys by which push services know this server, as points and numbers in base64url. */
export const vapidKeysSchema = z.strictObject({
  /** The point on P-256, uncompressed: what browsers subscribe with. */
  public: z.string().regex(/^[\w-]{87}$/u),
  private: z.string().regex(/^[\w-]{43}$/u),
});
export type VapidKeys = z.infer<typeof vapidKeysSchema>;

/** A token is valid for so long, in seconds: services refuse more than a day. */
const lifetime = 12 * 60 * 60;

export function makeVapidKeys(): VapidKeys {
  const {
    x = '',
    y = '',
    d = '',
  } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
    format: 'jwk',
  });
  return { public: pointOf(x, y), private: d };
}

/** Returns the header that proves to a push service who sends (RFC 8292). `subject` is where its operator finds this server's. */
export function vapidAuthorization(
  keys: VapidKeys,
  { endpoint, subject, now }: { endpoint: string; subject: string; now: number },
): string {
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor(now / 1000) + lifetime, sub: subject };
  const signed = [{ typ: 'JWT', alg: 'ES256' }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.');
  const point = Buffer.from(keys.public, 'base64url');
  const key = createPrivateKey({
    format: 'jwk',
    key: {
      kty: 'EC',
      crv: 'P-256',
      x: point.subarray(1, 33).toString('base64url'),
      y: point.subarray(33).toString('base64url'),
      d: keys.private,
    },
  });
  const signature = createSign('sha256').update(signed).sign({ key, dsaEncoding: 'ieee-p1363' }, 'base64url');
  return `vapid t=${signed}.${signature}, k=${keys.public}`;
}

function pointOf(x: string, y: string): string {
  return Buffer.concat([Buffer.of(4), Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url')]).toString('base64url');
}
