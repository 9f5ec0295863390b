import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { IncomingHttpHeaders } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { tellTried } from '@loom/blocks/testing';
import { z } from 'zod';
import type { Route } from '../routes/route.ts';
import { rawBytes, rawRequest } from '../testing/raw-request.ts';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';

/** A request that would pass, but for one thing. */
interface Hostile {
  name: string;
  reason: string;
  /** The differences; headers by name, `undefined` takes one away. */
  headers?: Record<string, string | string[] | undefined>;
  method?: string;
  path?: (path: string) => string;
  /** True if it is about a token, which open routes and tickets do without. */
  isAboutToken?: boolean;
}

const hostileRequests: Hostile[] = [
  { name: 'no token', reason: 'no-token', headers: { authorization: undefined }, isAboutToken: true },
  {
    name: 'an unknown token',
    reason: 'wrong-token',
    headers: { authorization: 'Bearer loom_AAAA' },
    isAboutToken: true,
  },
  { name: 'another scheme', reason: 'no-token', headers: { authorization: 'Basic cGVyc29uOng=' }, isAboutToken: true },
  {
    name: 'a token in the URL',
    reason: 'no-token',
    headers: { authorization: undefined },
    path: (path) => `${path}?token=x&access_token=x`,
    isAboutToken: true,
  },
  { name: 'another host', reason: 'wrong-host', headers: { host: 'evil.example' } },
  { name: 'a host that resolves to this machine', reason: 'wrong-host', headers: { host: 'localtest.example:80' } },
  { name: 'a host without its port', reason: 'wrong-host', headers: { host: '127.0.0.1' } },
  { name: 'another port', reason: 'wrong-host', headers: { host: '127.0.0.1:1' } },
  { name: 'two hosts', reason: 'bad-request', headers: { host: ['HOST', 'evil.example'] } },
  { name: 'another origin', reason: 'wrong-origin', headers: { origin: 'http://evil.example' } },
  { name: 'the origin null', reason: 'wrong-origin', headers: { origin: 'null' } },
  { name: 'the same host on another port', reason: 'wrong-origin', headers: { origin: 'http://127.0.0.1:1' } },
  { name: 'a cross-site request', reason: 'cross-site', headers: { 'sec-fetch-site': 'cross-site' } },
  { name: 'a same-site request', reason: 'cross-site', headers: { 'sec-fetch-site': 'same-site' } },
  {
    name: 'a preflight',
    reason: 'bad-method',
    method: 'OPTIONS',
    headers: { 'access-control-request-method': 'POST' },
  },
  { name: 'TRACE', reason: 'bad-method', method: 'TRACE' },
  { name: 'a whole URL', reason: 'bad-request', path: (path) => `http://evil.example${path}` },
  { name: 'a path that cannot be decoded', reason: 'bad-request', path: (path) => `${path}%ff` },
  { name: 'a path of another host', reason: 'bad-request', path: (path) => `//evil.example${path}` },
];

const refused = z.object({ ok: z.literal(false), problem: z.object({ reason: z.string() }), message: z.string() });

test('[SV1][SV2][SV3][SV4][SV5] every route, read from the server, refuses every hostile request and does nothing', async (t) => {
  const served = await serveLoom(t);
  assert.ok(served.server.routes.length > served.engine.operations.length / 2, 'the table holds the operations');
  let tried = 0;
  for (const route of served.server.routes) {
    for (const hostile of hostileRequests) {
      await turnAway(served, route, hostile);
      tried += 1;
    }
  }
  tellTried(t, tried, `hostile requests, to ${served.server.routes.length} routes`);
  assert.deepEqual((await served.requests.call('root.list', {})).items, []);
  assert.deepEqual(served.kept(), []);
  assert.deepEqual(served.failures, []);
});

for (const [fault, mend] of Object.entries<(headers: IncomingHttpHeaders, served: Served) => void>({
  'a request without a token has that of the owner': (headers, { requests }) =>
    void (headers.authorization ??= `Bearer ${requests.token}`),
  'the host is not looked at': (headers, { url }) => void (headers.host = new URL(url).host),
  'the origin is not looked at': (headers) => void delete headers.origin,
  'the site that asks is not looked at': (headers) => void delete headers['sec-fetch-site'],
})) {
  test(`[SV1] the hostile requests find a planted fault: ${fault}`, async (t) => {
    const served = await serveLoom(t);
    const route = served.server.routes.find(({ path }) => path.endsWith('/root.list')) ?? assert.fail();
    const url = await standBefore(t, served, (headers) => mend(headers, served));
    const caught: string[] = [];
    for (const hostile of hostileRequests) {
      await turnAway({ ...served, url }, route, hostile).catch(() => caught.push(hostile.name));
    }
    assert.ok(caught.length > 0 && caught.length < hostileRequests.length / 2, caught.join(', '));
  });
}

/** Serves at another address what the server says to requests whose headers were changed on their way. */
async function standBefore(
  t: TestContext,
  served: Served,
  change: (headers: IncomingHttpHeaders) => void,
): Promise<string> {
  const front = createServer((asked, answer) => {
    const headers = { ...asked.headers };
    // Requests name this address and mean the server.
    if (headers.host === new URL(address()).host) headers.host = new URL(served.url).host;
    change(headers);
    const { hostname, port } = new URL(served.url);
    const passed = request({ hostname, port, path: asked.url, method: asked.method, headers }, (given) => {
      answer.writeHead(given.statusCode ?? 500, given.headers);
      given.pipe(answer);
    });
    passed.on('error', () => answer.destroy());
    asked.pipe(passed);
  });
  const address = (): string => {
    const bound = front.address();
    return typeof bound === 'object' && bound !== null ? `http://127.0.0.1:${bound.port}` : assert.fail();
  };
  await new Promise<void>((resolve) => void front.listen(0, '127.0.0.1', resolve));
  t.after(() => void front.close());
  return address();
}

async function turnAway(served: Served, route: Route, hostile: Hostile): Promise<void> {
  if (hostile.isAboutToken === true && route.access !== 'token') return;
  const { host } = new URL(served.url);
  const headers: Record<string, string | string[] | undefined> = {
    host,
    authorization: `Bearer ${served.requests.token}`,
    'content-type': 'application/json',
    ...hostile.headers,
  };
  const method = hostile.method ?? route.method;
  const plain = route.path.replaceAll(/:\w+(\{[^}]*\})?/gu, 'x.y');
  const {
    status,
    body,
    headers: answered,
  } = await rawRequest(served.url, {
    method,
    path: hostile.path?.(plain) ?? plain,
    headers: Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [value].flat().flatMap((one) => [name, one === 'HOST' ? host : one]),
    ),
    ...(method === 'POST' ? { body: '{}' } : {}),
  });
  const where = `${hostile.name} at ${route.method} ${route.path}: ${status} ${body}`;
  assert.ok(status >= 400 && status < 500, where);
  assert.deepEqual(
    Object.keys(answered).filter((name) => name.startsWith('access-control')),
    [],
    where,
  );
  const { problem, message } = refused.parse(JSON.parse(body), { error: () => where });
  assert.equal(problem.reason, hostile.reason, where);
  assert.match(message, /^[A-Z].*\. .*\.$/su, 'it says what happened, then what to do');
}

test('[SV1] bytes that are not HTTP, or have no host, get an answer that is no success', async (t) => {
  const { url } = await serveLoom(t);
  for (const bytes of ['\0\0\0', 'GET / HTTP/1.1\r\n\r\n', 'GET / HTTP/1.1\r\nHost: a b\r\n\r\n', 'GET  / \r\n\r\n']) {
    const said = await rawBytes(url, bytes);
    assert.match(said, /^(HTTP\/1\.1 4|$)/u, JSON.stringify(bytes));
  }
});

test('[SV6] an upgrade passes the same guard, and needs a ticket that opens one connection', async (t) => {
  const served = await serveLoom(t);
  const { host } = new URL(served.url);
  const ticket = await newTicket(served);
  const upgrade = (headers: string[], path = `/api/v1/feed?ticket=${ticket}`): ReturnType<typeof rawRequest> =>
    rawRequest(served.url, { method: 'GET', path, headers: [...upgradeHeaders, ...headers] });
  const hostile: [string, string[], string?][] = [
    ['wrong-host', ['host', 'evil.example']],
    ['wrong-origin', ['host', host, 'origin', 'http://evil.example']],
    ['wrong-origin', ['host', host, 'origin', 'null']],
    ['cross-site', ['host', host, 'sec-fetch-site', 'cross-site']],
    ['wrong-ticket', ['host', host], '/api/v1/feed'],
    ['wrong-ticket', ['host', host, 'authorization', `Bearer ${served.requests.token}`], '/api/v1/feed?ticket=x'],
    ['no-token', ['host', host], '/api/v1/events'],
    ['not-found', ['host', host, 'authorization', `Bearer ${served.requests.token}`], '/elsewhere'],
  ];
  for (const [reason, headers, path] of hostile) {
    const { status, body } = await upgrade(headers, path);
    assert.equal(refused.parse(JSON.parse(body)).problem.reason, reason, `${status} ${body}`);
  }
  assert.equal((await upgrade(['host', host])).status, 101);
  assert.equal((await upgrade(['host', host])).status, 401, 'a ticket is used once');
});

const upgradeHeaders = ['connection', 'Upgrade', 'upgrade', 'websocket', 'sec-websocket-version', '13'].concat([
  'sec-websocket-key',
  'AAAAAAAAAAAAAAAAAAAAAA==',
]);

async function newTicket({ requests }: Served): Promise<string> {
  const { body } = await requests.post('/auth/ticket', {});
  return z.object({ value: z.object({ ticket: z.string() }) }).parse(body).value.ticket;
}

test('[SV4] a page of this server may call it, and only a page is opened by typing its address', async (t: TestContext) => {
  const { requests, url } = await serveLoom(t);
  const own = { origin: url, 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' };
  assert.equal((await requests.post('/api/v1/root.list', {}, own)).status, 200);
  const typed = { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
  assert.equal((await requests.post('/api/v1/root.list', {}, typed)).status, 403);
});
