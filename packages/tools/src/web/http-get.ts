import { lookup } from 'node:dns/promises';
import { request as requestHttp } from 'node:http';
import type { IncomingMessage } from 'node:http';
import { request as requestHttps } from 'node:https';
import { isIP } from 'node:net';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { isPublicAddress } from './public-address.ts';
import type { WebNetwork } from './web-ports.ts';

/** The most bytes that are read of a page, unpacked. */
const mostBytes = 5 * 1024 * 1024;
const mostRedirects = 5;

/** A page, or the reason that there is none, in words for the model. */
export type Got =
  | { ok: true; url: string; status: number; type: string; bytes: Uint8Array; isCut: boolean }
  | { ok: false; problem: string };

/** Reads a page. Follows redirects within its host; every address is checked before it is connected to, and only that one is. */
export async function httpGet(start: URL, network: WebNetwork, signal: AbortSignal): Promise<Got> {
  let url = start;
  for (let redirects = 0; redirects <= mostRedirects; redirects += 1) {
    const address = await checkedAddress(url, network);
    if (!address.ok) return address;
    const response = await send(url, address.address, signal);
    const { statusCode: status = 0, headers } = response;
    const target = status >= 300 && status < 400 ? headers.location : undefined;
    if (target === undefined) {
      const body = await readBody(response);
      return { ok: true, url: url.href, status, type: headers['content-type'] ?? '', ...body };
    }
    response.destroy();
    const next = URL.parse(target, url);
    if (next === null) return refuse(`The page redirects to something that is no address: ${target}`);
    if (next.hostname !== url.hostname)
      return refuse(`The page redirects to another host. Call fetch_url with ${next.href}`);
    const problem = urlProblem(next);
    if (problem !== undefined) return refuse(problem);
    url = next;
  }
  return refuse(`The page redirects more than ${mostRedirects} times.`);
}

/** Returns what is wrong with an address, before anything is looked up. */
export function urlProblem({ protocol, username, password, hostname }: URL): string | undefined {
  if (protocol !== 'http:' && protocol !== 'https:')
    return `Only http and https addresses can be read, not ${protocol}`;
  if (username !== '' || password !== '') return 'An address with a user name or password is not read.';
  return hostname === '' || /^\.|\.\./u.test(hostname) ? 'The address names no host.' : undefined;
}

type Checked = { ok: true; address: string } | { ok: false; problem: string };

/** Looks a host up, and refuses one that is not on the internet. The address is to be connected to as it is: the name may mean another one later. */
export async function checkedAddress(
  { hostname }: URL,
  { resolve = resolveHost, mayReach = isPublicAddress }: WebNetwork,
  who = 'fetch_url',
): Promise<Checked> {
  const host = hostname.replace(/^\[|\]$/gu, '');
  let addresses: readonly string[];
  try {
    addresses = isIP(host) === 0 ? await resolve(host) : [host];
  } catch {
    return refuse(`The host ${hostname} is not known.`);
  }
  // One private address among several is enough to refuse: it would be chosen sooner or later.
  const [address] = addresses;
  if (address === undefined) return refuse(`The host ${hostname} has no address.`);
  if (!addresses.every((one) => mayReach(one))) {
    return refuse(`${hostname} is on this machine or in a private network, which ${who} does not reach.`);
  }
  return { ok: true, address };
}

async function resolveHost(host: string): Promise<string[]> {
  return (await lookup(host, { all: true })).map(({ address }) => address);
}

/** Connects to the address that was checked, whatever the name means by now. */
function send(url: URL, address: string, signal: AbortSignal): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const request = (url.protocol === 'https:' ? requestHttps : requestHttp)(url, {
    signal,
    agent: false,
    headers: {
      'user-agent': 'Loom (reads pages for a person)',
      accept: 'text/html, text/plain, application/json, text/*;q=0.9, */*;q=0.5',
      'accept-encoding': 'gzip, deflate, br',
    },
    lookup: (_host, options, answer) => {
      const family = isIP(address);
      if (options.all === true) answer(null, [{ address, family }]);
      else answer(null, address, family);
    },
  });
  request.on('response', resolve);
  request.on('error', reject);
  request.end();
  return promise;
}

async function readBody(response: IncomingMessage): Promise<{ bytes: Uint8Array; isCut: boolean }> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  const body = unpacked(response);
  try {
    for await (const bytes of body) {
      pieces.push(bytes.subarray(0, mostBytes - size));
      size += bytes.length;
      if (size > mostBytes) break;
    }
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(pieces), isCut: size > mostBytes };
}

function unpacked(response: IncomingMessage): AsyncIterable<Uint8Array> {
  const makers = { gzip: createGunzip, 'x-gzip': createGunzip, deflate: createInflate, br: createBrotliDecompress };
  const name = response.headers['content-encoding']?.toLowerCase() ?? '';
  const make = new Map(Object.entries(makers)).get(name);
  if (make === undefined) return response;
  const unpacker = make();
  response.on('error', (error) => unpacker.destroy(error));
  return response.pipe(unpacker);
}

function refuse(problem: string): { ok: false; problem: string } {
  return { ok: false, problem };
}
