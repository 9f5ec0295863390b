import assert from 'node:assert/strict';
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { z } from 'zod';
import type { PushNetwork } from '../pushes.ts';

const claims = z.strictObject({ aud: z.string(), exp: z.number(), sub: z.string() });

/** A message as the push service and the browser behind it saw it. */
export interface Delivered {
  readonly claims: z.infer<typeof claims>;
  /** The key that the sender proved to have. */
  readonly key: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly text: string;
}

/** A push service on this computer that accepts only messages whose sender proves who it is, and a browser that reads them. */
export interface PushService {
  readonly endpoint: string;
  readonly keys: { readonly p256dh: string; readonly auth: string };
  readonly delivered: Delivered[];
  /** The status of the next answers. */
  status: number;
  readonly network: PushNetwork;
}

export async function openPushService(t: TestContext): Promise<PushService> {
  const browser = createECDH('prime256v1');
  browser.generateKeys();
  const auth = randomBytes(16);
  const delivered: Delivered[] = [];
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      if (service.status < 300) {
        const [sender, body] = [readSender(request.headers.authorization ?? ''), Buffer.concat(parts)];
        delivered.push({ ...sender, headers: request.headers, text: unseal(body, browser, auth) });
      }
      response.writeHead(service.status).end();
    });
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(address !== null && typeof address === 'object');
  const service: PushService = {
    endpoint: `http://127.0.0.1:${address.port}/push/1`,
    keys: { p256dh: browser.getPublicKey('base64url'), auth: auth.toString('base64url') },
    delivered,
    status: 201,
    network: {
      problemOf: async () => undefined,
      async send({ endpoint, headers, body }) {
        return (await fetch(endpoint, { method: 'POST', headers, body: Buffer.from(body) })).status;
      },
    },
  };
  return service;
}

/** Reads and verifies the proof of a sender. */
function readSender(authorization: string): Pick<Delivered, 'claims' | 'key'> {
  const { token = '', key = '' } = /^vapid t=(?<token>[^,]+), k=(?<key>\S+)$/u.exec(authorization)?.groups ?? {};
  const [header = '', payload = '', signature = ''] = token.split('.');
  assert.deepEqual(JSON.parse(Buffer.from(header, 'base64url').toString()), { typ: 'JWT', alg: 'ES256' });
  const point = Buffer.from(key, 'base64url');
  const half = (start: number): string => point.subarray(start, start + 32).toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'EC', crv: 'P-256', x: half(1), y: half(33) } });
  const signed = Buffer.from(`${header}.${payload}`);
  const proof = Buffer.from(signature, 'base64url');
  assert.ok(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, proof), 'the signature is wrong');
  return { claims: claims.parse(JSON.parse(Buffer.from(payload, 'base64url').toString())), key };
}

/** Reads a message as browsers do (RFC 8291). */
function unseal(body: Buffer, browser: ReturnType<typeof createECDH>, auth: Buffer): string {
  const [salt, length] = [body.subarray(0, 16), body[20] ?? 0];
  const sender = body.subarray(21, 21 + length);
  const sealed = body.subarray(21 + length);
  const derive = (secret: Buffer, mixed: Buffer, info: Buffer, bytes: number): Buffer =>
    Buffer.from(hkdfSync('sha256', secret, mixed, info, bytes));
  const about = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender]);
  const secret = derive(browser.computeSecret(sender), auth, about, 32);
  const key = derive(secret, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(secret, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce);
  decipher.setAuthTag(sealed.subarray(-16));
  const text = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
  assert.equal(text.at(-1), 2, 'the last record ends with a 2');
  return text.subarray(0, -1).toString();
}
