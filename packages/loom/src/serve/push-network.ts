import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import type { PushNetwork, PushRequest } from '@loom/server';

interface PushNetworkOptions {
  /** The origin of a push service on this computer, for tests. No other private address is reached. */
  testOrigin?: string | undefined;
}

/** A service that does not answer for so long does not count, in milliseconds. */
const patience = 20_000;

/** Reaches push services: by https, and none in a private network or on this computer. Redirects are not followed. */
export function pushNetwork({ testOrigin }: PushNetworkOptions = {}): PushNetwork {
  const isTest = ({ origin }: URL): boolean => testOrigin !== undefined && origin === testOrigin;
  const check = async (endpoint: string): Promise<{ ok: true; address: string } | { ok: false; problem: string }> => {
    const url = URL.parse(endpoint);
    if (url === null) return { ok: false, problem: 'is no web address' };
    if (isTest(url)) return { ok: true, address: url.hostname };
    if (url.protocol !== 'https:') return { ok: false, problem: 'must begin with https://' };
    if (url.username !== '' || url.password !== '') return { ok: false, problem: 'must have no user name or password' };
    // Only servers that push need it.
    const { checkedAddress } = await import('@loom/tools');
    const checked = await checkedAddress(url, {}, 'a notification');
    return checked.ok ? checked : { ok: false, problem: checked.problem };
  };
  return {
    async problemOf(endpoint) {
      const checked = await check(endpoint);
      return checked.ok ? undefined : checked.problem;
    },
    async send(request) {
      const checked = await check(request.endpoint);
      if (!checked.ok) throw new Error(`${request.endpoint}: ${checked.problem}`);
      return post(request, checked.address);
    },
  };
}

/** Connects to the address that was checked, whatever the name means by now. */
function post({ endpoint, headers, body }: PushRequest, address: string): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const url = new URL(endpoint);
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    method: 'POST',
    agent: false,
    headers: { ...headers, 'content-length': String(body.byteLength) },
    signal: AbortSignal.timeout(patience),
    lookup: (_host, options, answer) => {
      const family = isIP(address);
      if (options.all === true) answer(null, [{ address, family }]);
      else answer(null, address, family);
    },
  });
  request.on('response', (response) => {
    response.destroy();
    resolve(response.statusCode ?? 0);
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}
