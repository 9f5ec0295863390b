import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serveLoom } from '../testing/served-loom.ts';
import { rawRequest } from '../testing/raw-request.ts';
import { Conversation } from './browser/conversation.js';

test('[SV26] the page is served to strangers with a policy that lets nothing in, and asks for nothing that is not served', async (t) => {
  const { url, server } = await serveLoom(t);
  const open = server.routes.filter(({ access }) => access === 'open').map(({ method, path }) => `${method} ${path}`);
  assert.deepEqual(open, [
    'GET /',
    'GET /page.css',
    'GET /page.js',
    'GET /api.js',
    'GET /conversation.js',
    'GET /list.js',
    'GET /drawing.js',
    'POST /auth/sign-in',
  ]);
  const { host } = new URL(url);
  for (const [, path = ''] of open.filter((route) => route.startsWith('GET')).map((route) => route.split(' '))) {
    const typed = ['sec-fetch-site', 'none', 'sec-fetch-mode', 'navigate', 'sec-fetch-dest', 'document'];
    const { status, headers, body } = await rawRequest(url, { method: 'GET', path, headers: ['host', host, ...typed] });
    assert.equal(status, 200);
    const policy = String(headers['content-security-policy']);
    assert.match(policy, /^default-src 'none'; script-src 'self';/u);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/u);
    assert.doesNotMatch(
      body,
      /https?:\/\/|innerHTML|insertAdjacentHTML|document\.write|\beval\(|\son\w+=|style="/u,
      path,
    );
    const named = [...body.matchAll(/(?:src|href)="([^"]+)"|from '\.([^']+)'/gu)].map(([, one, other]) => one ?? other);
    for (const file of named) assert.ok(open.includes(`GET ${file}`), `${path} asks for ${file}`);
  }
});

test('[SV27] the page keeps a conversation as the feed tells it, through a cut', async (t) => {
  const { requests, engine } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const { nodes } = await requests.call('node.append', {
    parent: root,
    messages: [{ role: 'user', content: 'hello' }],
  });
  let wake = (): void => {};
  const sockets: WebSocket[] = [];
  const openSocket = async (): Promise<WebSocket> => {
    const socket = new WebSocket(await requests.feedAddress());
    sockets.push(socket);
    return socket;
  };
  const conversation = new Conversation(
    root,
    openSocket,
    () => wake(),
    () => {},
  );
  const until = async (isSo: () => boolean): Promise<void> => {
    while (!isSo()) await new Promise<void>((resolve) => (wake = resolve));
  };
  await until(() => conversation.nodes.size === 1);
  await requests.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo' });
  sockets[0]?.close();
  await until(() => conversation.nodes.size === 2 && conversation.turns.length === 0);
  const state = await engine.forest.log(root).state();
  const texts = (blocks: readonly { type: string; text?: string }[]): unknown => blocks.map(({ text }) => text);
  assert.deepEqual(
    conversation.path.map(({ id, blocks }) => [id, texts(blocks)]),
    [...state.nodes.values()].map(({ id, blocks }) => [id, texts(blocks)]),
  );
  const { block_id: block } = await requests.call('block.create', {
    parent_id: root,
    role: 'user',
    kind: 'text',
    content: 'ab cd',
  });
  await requests.call('block.splice', { block_id: block, offset: 2, delete_count: 1, insert: 'XY' });
  await until(() => JSON.stringify(conversation.path).includes('abXYcd'));
  assert.equal(conversation.siblings(conversation.path[0] ?? assert.fail()).length, 2, 'a branch of its own');
  conversation.chosen = nodes[0];
  assert.equal(conversation.path.length, 2);
  conversation.close();
});
