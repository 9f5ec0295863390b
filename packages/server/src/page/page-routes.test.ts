import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { serveLoom } from '../testing/served-loom.ts';
import { rawRequest } from '../testing/raw-request.ts';
import type { PageFile } from './page-routes.ts';

const file = (path: string, type: string, text: string): PageFile => ({
  path,
  type,
  read: () => new TextEncoder().encode(text),
});
const typed = ['sec-fetch-site', 'none', 'sec-fetch-mode', 'navigate', 'sec-fetch-dest', 'document'];

test('[SV26] the page is served to strangers at every place that has an address, with a policy that lets nothing in', async (t) => {
  const page = {
    document: file('/index.html', 'text/html; charset=utf-8', '<title>Loom</title>'),
    assets: [file('/assets/page-a1.js', 'text/javascript; charset=utf-8', 'export {};')],
  };
  const { url } = await serveLoom(t, { page });
  const { host } = new URL(url);
  const get = (path: string) => rawRequest(url, { method: 'GET', path, headers: ['host', host, ...typed] });
  for (const path of [
    '/',
    '/conversations',
    '/needs-you',
    '/agents',
    '/usage',
    '/settings',
    '/r/root-1',
    '/r/root-1/node-7',
    '/tree/root-1',
    '/search/kind%3Acommand%20heron',
    '/compare/root-1/node-7/node-8',
    '/review/root-1/node-7/branch',
  ]) {
    const { status, headers, body } = await get(path);
    assert.deepEqual([status, body], [200, '<title>Loom</title>'], path);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self';/u);
    assert.match(policy, /require-trusted-types-for 'script'; trusted-types loom-worker$/u);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/u);
    assert.equal(headers['cache-control'], 'no-store');
  }
  const asset = await get('/assets/page-a1.js');
  assert.deepEqual([asset.status, asset.body], [200, 'export {};']);
  assert.match(String(asset.headers['cache-control']), /immutable/u);
  for (const path of ['/assets/other.js', '/r/a/b/c/d', '/r/', '/elsewhere', '/index.html']) {
    assert.equal((await get(path)).status, 403, path);
  }
});

test('[SV26] nothing but the page and signing in is open to strangers', async (t) => {
  const { server } = await serveLoom(t);
  const open = server.routes.filter(({ access }) => access === 'open').map(({ method, path }) => `${method} ${path}`);
  const places = open.filter((route) => route.startsWith('GET ')).map((route) => route.slice('GET '.length));
  assert.deepEqual(places, [
    '/',
    '/new',
    '/conversations',
    '/needs-you',
    '/search',
    '/search/:query',
    '/agents',
    '/bookmarks',
    '/usage',
    '/settings',
    '/settings/:section',
    '/components',
    '/r/:root',
    '/r/:root/:node',
    '/r/:root/:node/:view',
    '/tree/:root',
    '/compare/:root/:left/:right',
    '/text/:root',
    '/review/:root/:node',
    '/review/:root/:node/:scope',
    '/s/:share',
  ]);
  assert.deepEqual(
    open.filter((route) => !route.startsWith('GET ')),
    ['POST /auth/sign-in'],
  );
});

test('[SV27] a server whose page is not built says how to build it', async (t) => {
  const { url } = await serveLoom(t);
  const { host } = new URL(url);
  const { status, body } = await rawRequest(url, { method: 'GET', path: '/', headers: ['host', host, ...typed] });
  assert.equal(status, 503);
  assert.match(body, /The page is not built\. Run "npm run build"/u);
});

test('[SV89] the document of a frame has no origin, runs its one script alone, reaches nothing, and stands in pages of this server only', async (t) => {
  const script = 'parent.postMessage(1, "*")';
  const page = {
    document: undefined,
    assets: [file('/frames/diagrams-a1.html', 'text/html; charset=utf-8', `<body><script>${script}</script></body>`)],
  };
  const { url } = await serveLoom(t, { page });
  const { host } = new URL(url);
  const ask = (site: string) =>
    rawRequest(url, {
      method: 'GET',
      path: '/frames/diagrams-a1.html',
      headers: ['host', host, 'sec-fetch-site', site, 'sec-fetch-mode', 'navigate', 'sec-fetch-dest', 'iframe'],
    });
  const { status, headers } = await ask('same-origin');
  assert.equal(status, 200);
  const policy = String(headers['content-security-policy']).split('; ');
  const hash = createHash('sha256').update(script).digest('base64');
  assert.deepEqual(
    policy.filter((part) => /^(?:sandbox|default|script|frame)/u.test(part)),
    ['sandbox allow-scripts', "default-src 'none'", `script-src 'sha256-${hash}'`, "frame-ancestors 'self'"],
  );
  assert.doesNotMatch(policy.join(), /same-origin|popups|top-navigation|https?:|\*/u);
  // A frame without an origin is of no site.
  for (const site of ['cross-site', 'same-site', 'none']) assert.equal((await ask(site)).status, 403, site);
});
