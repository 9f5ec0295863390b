import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { gzipSync } from 'node:zlib';
import { contextWith, runTool, testToolContract } from '@loom/providers/testing';
import { createPermissions } from '../policy/permissions.ts';
import { noRules } from '../policy/stored-rule.ts';
import { fetchUrlTool } from './fetch-url.ts';
import { isPublicAddress } from './public-address.ts';
import { readableText } from './readable-text.ts';
import type { WebNetwork } from './web-ports.ts';

const clock = { now: Date.now, after: () => () => {} };
const permissions = async () => createPermissions(noRules);

function toolWith(network: WebNetwork) {
  return fetchUrlTool({ clock, permissions, network });
}

const invocation = (url: string, more: { start?: number } = {}) => {
  const parameters = { url, ...more };
  return { id: 'c', name: 'fetch_url', parameters, arguments: JSON.stringify(parameters) };
};

async function fetched(
  network: WebNetwork,
  url: string,
  more: { start?: number } = {},
): Promise<{ text: string; isError: boolean }> {
  const outcome = await runTool(toolWith(network), invocation(url, more), contextWith(new AbortController().signal));
  const [block] = outcome.content;
  assert.ok(block?.type === 'text');
  return { text: block.text, isError: outcome.is_error === true };
}

async function serve(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<number> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

/** Names lead to this machine, which is the only one that tests may reach. */
const open: WebNetwork = { resolve: async () => ['127.0.0.1'], mayReach: () => true };

testToolContract('fetch_url', () => toolWith({ resolve: async () => [] }), {
  samples: [{ url: 'http://example.org/' }],
  isHarmless: true,
});

test('[FT1] a page is read as Markdown, other text as it is, in its own characters', async (t) => {
  const port = await serve(t, ({ url }, response) => {
    if (url === '/page') {
      response.setHeader('content-type', 'text/html; charset=iso-8859-1');
      response.end(
        Buffer.from(
          '<title>A &amp; B</title><nav>menu</nav><h1>Caf\u00e9</h1><p>One <a href="/x">two</a>.<script>bad()</script><ul><li>a<li>b</ul>',
          'latin1',
        ),
      );
    } else if (url === '/zipped') {
      response.setHeader('content-encoding', 'gzip').setHeader('content-type', 'text/plain');
      response.end(gzipSync('<b>plain</b>'));
    } else if (url === '/picture') response.setHeader('content-type', 'image/png').end('x');
    else response.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
  });
  const at = (path: string): string => `http://pages.test:${port}${path}`;
  assert.deepEqual(await fetched(open, at('/page')), {
    text: `${at('/page')}\nA & B\n\n# Café\n\nOne two (${at('/x')}).\n\n- a\n- b`,
    isError: false,
  });
  assert.equal((await fetched(open, at('/zipped'))).text, `${at('/zipped')}\n\n<b>plain</b>`);
  assert.match((await fetched(open, at('/picture'))).text, /of the kind image\/png/u);
  assert.deepEqual(await fetched(open, at('/gone')), {
    text: `${at('/gone')}\n[status 404]\n\nnot here`,
    isError: true,
  });
});

test('[FT2] no more than 5 MB are read, packed or not, and a long text is read on from where it was cut', async (t) => {
  const port = await serve(t, ({ url }, response) => {
    response.setHeader('content-type', 'text/plain');
    if (url === '/bomb') response.setHeader('content-encoding', 'gzip').end(gzipSync(Buffer.alloc(50_000_000, 'x')));
    else response.end('y'.repeat(120_000));
  });
  const bomb = await fetched(open, `http://pages.test:${port}/bomb`);
  assert.match(bomb.text, /Only its first 5 MB were read/u);
  const first = await fetched(open, `http://pages.test:${port}/long`);
  assert.match(first.text, /70000 more characters: call again with start: 50000\]$/u);
  const last = await fetched(open, `http://pages.test:${port}/long`, { start: 100_000 });
  assert.equal(last.text.split('\n').at(-1), 'y'.repeat(20_000));
});

test('[FT3] addresses of this machine, private networks and clouds are not public, however they are written', () => {
  const inside = [
    '127.0.0.1',
    '127.8.8.8',
    '0.0.0.0',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '224.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    'fe80::1',
    'fc00::1',
    'fd00:ec2::254',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    '2001::1',
    '2001:db8::1',
    'ff02::1',
    '198.18.0.1',
    'localhost',
    '',
  ];
  for (const address of inside) assert.equal(isPublicAddress(address), false, address);
  for (const address of ['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'])
    assert.equal(isPublicAddress(address), true, address);
});

test('[FT3] a name that leads inside is refused after it was resolved, and so is one of several addresses', async (t) => {
  let requests = 0;
  const port = await serve(t, (_request, response) => {
    requests += 1;
    response.end('inside');
  });
  const cases: [string, WebNetwork][] = [
    [`http://127.0.0.1:${port}/`, {}],
    [`http://2130706433:${port}/`, {}],
    [`http://0x7f.1:${port}/`, {}],
    [`http://[::ffff:127.0.0.1]:${port}/`, {}],
    [`http://localhost:${port}/`, {}],
    [`http://inside.test:${port}/`, { resolve: async () => ['127.0.0.1'] }],
    [`http://both.test:${port}/`, { resolve: async () => ['8.8.8.8', '127.0.0.1'] }],
  ];
  for (const [url, network] of cases) {
    const { text, isError } = await fetched(network, url);
    assert.ok(isError && /on this machine or in a private network/u.test(text), `${url}: ${text}`);
  }
  assert.equal(requests, 0);
});

test('[FT4] the address that was checked is the one that is connected to, at each redirect again', async (t) => {
  const asked: string[] = [];
  const port = await serve(t, ({ url, headers }, response) => {
    asked.push(`${headers.host} ${url}`);
    if (url === '/once') response.writeHead(302, { location: '/there' }).end();
    else if (url === '/away') response.writeHead(302, { location: 'http://other.test/secret' }).end();
    else if (url === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else if (url === '/file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
    else response.end('here');
  });
  let resolved = 0;
  // The second time the name leads elsewhere.
  const rebinding: WebNetwork = {
    resolve: async () => [(resolved += 1) % 2 === 1 ? '127.0.0.1' : '127.0.0.2'],
    mayReach: (address) => address === '127.0.0.1',
  };
  assert.match((await fetched(rebinding, `http://a.test:${port}/`)).text, /here$/u);
  assert.equal(resolved, 1);
  assert.match((await fetched(rebinding, `http://a.test:${port}/`)).text, /private network/u);
  assert.deepEqual(asked, [`a.test:${port} /`]);
  resolved = 0;
  const redirected = await fetched(rebinding, `http://a.test:${port}/once`);
  assert.match(redirected.text, /private network/u, 'a redirect is resolved and checked again');
  assert.match((await fetched(open, `http://a.test:${port}/once`)).text, /there\n\nhere$/u);
  assert.match(
    (await fetched(open, `http://a.test:${port}/away`)).text,
    /another host\. Call fetch_url with http:\/\/other\.test\/secret/u,
  );
  assert.match((await fetched(open, `http://a.test:${port}/loop`)).text, /more than 5 times/u);
  assert.equal((await fetched(open, `http://a.test:${port}/file`)).isError, true);
});

test('[FT5] a person is asked about the host; addresses that cannot be read ask no one', async () => {
  const context = contextWith(new AbortController().signal);
  const asked = await toolWith(open).prepare(invocation('https://Docs.Example.org/a?b'), context);
  assert.deepEqual(
    [asked.permission, asked.rules],
    ['ask', [{ tool: 'fetch_url', host: 'docs.example.org', effect: 'allow' }]],
  );
  for (const url of [
    'file:///etc/passwd',
    'ftp://x.org',
    'https://user:pass@x.org/',
    'https://.x.org/',
    'https://x..org/',
    'x.org',
    'javascript:1',
    'data:text/plain,x',
  ]) {
    assert.equal((await toolWith(open).prepare(invocation(url), context)).permission, 'run');
    assert.equal((await fetched(open, url)).isError, true, url);
  }
});

test('[FT6] broken and hostile pages are read in one pass', () => {
  assert.equal(readableText('<p>a<b', 'https://x.org/'), 'a');
  assert.equal(readableText('1 < 2 &lt;b&gt; &#65;&#x110000; &nope;', 'https://x.org/'), '1 < 2 <b> A� &nope;');
  assert.equal(readableText('<script>a</script>b<style>c', 'https://x.org/'), 'b');
  assert.equal(readableText('<pre>a\n  b</pre>', 'https://x.org/'), '```\na\n  b\n```');
  assert.equal(readableText('<a href="javascript:x">y</a>', 'https://x.org/'), 'y');
  for (const part of ['<', '<a ', '<!--', '<div>', '"', '&', '<a href="', '</p>', '<script>']) {
    assert.equal(typeof readableText(part.repeat(50_000), 'https://x.org/'), 'string');
  }
});
