import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refusalSamples } from '@loom/kernel/testing';
import { StoreError } from '@loom/kernel/store';
import { answerOutcome } from '../answers/answer.ts';
import { jsonLimit } from '../guard/body.ts';
import { connectClient, textOf } from '../testing/mcp-client.ts';
import { owner, serveLoom } from '../testing/served-loom.ts';

test('[SV12] every operation of the table that names this door is a route, and no other', async (t) => {
  const { server, engine, requests } = await serveLoom(t);
  const offered = engine.operations.filter(({ doors }) => doors.includes('http')).map(({ name }) => `/api/v1/${name}`);
  const paths = server.routes.filter(({ method }) => method === 'POST').map(({ path }) => path);
  assert.deepEqual(
    offered.filter((path) => !paths.includes(path)),
    [],
  );
  const unknown = await requests.post('/api/v1/node.apend', {});
  assert.equal(unknown.status, 404);
  assert.deepEqual(unknown.body['refusal'], {
    reason: 'unknown-operation',
    operation: 'node.apend',
    nearest: ['node.append'],
    next: { type: 'choose', ids: ['node.append'] },
  });
});

test('[SV12] an answer is the outcome with its cursor; ids with slashes travel in the body', async (t) => {
  const { requests } = await serveLoom(t);
  const { root } = await requests.call('root.create', { config: { systemPrompt: 'Be brief.' } });
  const { nodes } = await requests.call('node.append', {
    parent: root,
    messages: [
      { role: 'user', content: 'hello' },
      { role: 'assistant', content: 'hi' },
    ],
  });
  const { body } = await requests.post('/api/v1/root.get', { root });
  assert.deepEqual(Object.keys(body), ['ok', 'value', 'cursor']);
  const path = await requests.call('node.path', { node: nodes.at(-1) ?? '' });
  assert.deepEqual(
    path.nodes.map(({ message }) => message.content.map((block) => block.type === 'text' && block.text)),
    [['hello'], ['hi']],
  );
});

test('[SV13] every refusal has a status of its table and words that name no command', () => {
  for (const refusal of refusalSamples()) {
    const { status } = answerOutcome({ ok: false, refusal });
    assert.ok([400, 403, 404, 409, 410, 422].includes(status), refusal.reason);
  }
});

test('[SV13] a refusal is data with a status and with words', async (t) => {
  const { requests, as } = await serveLoom(t);
  const missing = await requests.post('/api/v1/node.get', { node: 'root-x/node-1' });
  assert.equal(missing.status, 404);
  assert.deepEqual(missing.body['refusal'], {
    reason: 'node-not-found',
    node: 'root-x/node-1',
    next: { type: 'list-nodes' },
  });
  assert.match(String(missing.body['message']), /root-x\/node-1/u);
  assert.doesNotMatch(String(missing.body['message']), /\bloom \w/u, 'it names no command');
  assert.equal((await requests.post('/api/v1/node.get', { nod: 'x' })).status, 400);
  const { root } = await requests.call('root.create', {});
  await requests.call('root.remove', { root });
  const gone = await requests.post('/api/v1/node.append', { parent: root, messages: [{ role: 'user', content: 'x' }] });
  assert.deepEqual(
    [gone.status, gone.body['refusal']],
    [410, { reason: 'root-deleted', root, next: { type: 'restore', id: root } }],
  );
  const tool = await as({ agent: 'bot', type: 'tool', role: 'writer', roots: ['root-other'] });
  assert.equal((await tool.post('/api/v1/root.get', { root })).status, 403);
});

test('[SV14] a request with an Idempotency-Key is done once and answered every time', async (t) => {
  const { requests } = await serveLoom(t);
  const key = { 'idempotency-key': 'key-1' };
  const [one, two] = await Promise.all([1, 2].map(() => requests.post('/api/v1/root.create', {}, key)));
  assert.deepEqual(one, two);
  assert.equal((await requests.call('root.list', {})).items.length, 1);
  const { root } = await requests.call('root.create', {});
  const said = { parent: root, messages: [{ role: 'user', content: 'hello' }] };
  const first = await requests.post('/api/v1/node.append', said, { 'idempotency-key': 'k' });
  assert.deepEqual(await requests.post('/api/v1/node.append', said, { 'idempotency-key': 'k' }), first);
  for (const bad of ['x'.repeat(201), 'with space', '"é"']) {
    const refused = await requests.post('/api/v1/root.create', {}, { 'idempotency-key': bad });
    assert.deepEqual(refused.body['problem'], { reason: 'bad-key' }, bad);
  }
});

test('[SV14] a key is bound to its operation and parameters, also where no log knows it, and for one token', async (t) => {
  const { requests, as } = await serveLoom(t);
  const key = { 'idempotency-key': 'k' };
  const asked = { agent: 'tool:one', type: 'tool', role: 'reader', kept: false };
  const [made, again] = await Promise.all([1, 2].map(() => requests.post('/api/v1/token.create', asked, key)));
  assert.equal(made?.status, 200);
  assert.deepEqual(again, made);
  for (const [name, params] of [
    ['token.create', { ...asked, role: 'owner' }],
    ['root.create', {}],
  ] as const) {
    const { status, body } = await requests.post(`/api/v1/${name}`, params, key);
    assert.equal(status, 409);
    assert.partialDeepStrictEqual(body['refusal'], { reason: 'request-reused', id: 'k' });
  }
  // No one else learns the secret of a token, not even the same agent with another token.
  const other = await as(owner);
  assert.notDeepEqual((await other.post('/api/v1/token.create', asked, key)).body, made?.body);
  assert.equal((await requests.call('root.list', {})).items.length, 0);
});

test('[SV7] a body is refused for its type, its coding and its size, and an empty one means no parameters', async (t) => {
  const { requests } = await serveLoom(t);
  const refusals: [RequestInit, number, string][] = [
    [{ body: '{}', headers: { 'content-type': 'text/plain' } }, 415, 'wrong-content-type'],
    [{ body: 'a=b', headers: { 'content-type': 'application/x-www-form-urlencoded' } }, 415, 'wrong-content-type'],
    [{ body: '{}', headers: { 'content-type': 'application/json; charset=latin1' } }, 415, 'wrong-content-type'],
    [
      { body: '{}', headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' } },
      415,
      'wrong-content-type',
    ],
    [{ body: 'x'.repeat(jsonLimit + 1), headers: { 'content-type': 'application/json' } }, 413, 'too-large'],
    [
      { body: streamOf(jsonLimit + 1), duplex: 'half', headers: { 'content-type': 'application/json' } },
      413,
      'too-large',
    ],
    [{ body: '{', headers: { 'content-type': 'application/json' } }, 400, 'not-json'],
    [{ body: '{"__proto__":{}}', headers: { 'content-type': 'application/json' } }, 400, 'not-json'],
  ];
  for (const [init, status, reason] of refusals) {
    const response = await requests.fetch('/api/v1/root.list', { method: 'POST', ...init });
    const body: unknown = await response.json();
    assert.equal(response.status, status, JSON.stringify(body));
    assert.match(JSON.stringify(body), new RegExp(`"reason":"${reason}"`, 'u'));
  }
  const empty = await requests.fetch('/api/v1/root.list', {
    method: 'POST',
    headers: { 'content-type': 'application/json; charset=UTF-8' },
  });
  assert.deepEqual(await empty.json(), { ok: true, value: { items: [] } });
});

function streamOf(size: number): ReadableStream<Uint8Array> {
  let left = size;
  return new ReadableStream({
    pull(controller) {
      const part = Math.min(left, 64 * 1024);
      left -= part;
      if (part === 0) controller.close();
      else controller.enqueue(new Uint8Array(part).fill(0x20));
    },
  });
}

test("[SV17] what fails inside is an answer that says nothing of it, and is told to the server's owner", async (t) => {
  const { store, requests, failures } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const secret = 'a secret of the disk';
  store.append = () => Promise.reject(new Error(secret));
  const said = { parent: root, messages: [{ role: 'user', content: 'hello' }] };
  const failed = await requests.post('/api/v1/node.append', said);
  assert.equal(failed.status, 500);
  assert.deepEqual(failed.body['problem'], { reason: 'internal' });
  assert.doesNotMatch(JSON.stringify(failed.body), new RegExp(secret, 'u'));
  store.append = () => Promise.reject(new StoreError('store-failed', 'the disk is full', 'Free some space.'));
  const full = await requests.post('/api/v1/node.append', said);
  assert.equal(full.status, 503);
  assert.match(String(full.body['message']), /the disk is full.*same Idempotency-Key/su);
  store.heads = () => Promise.reject(new StoreError('store-corrupt', 'a page is damaged', 'Restore a backup.'));
  for (const [path, init] of [
    ['/api/v1/root.list', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' }],
    ['/api/roots', { method: 'GET' }],
  ] as const) {
    const unread = await requests.fetch(path, init);
    const text = await unread.text();
    assert.deepEqual([unread.status, /store-unreadable/u.test(text)], [503, true], path);
    assert.match(text, /Nothing was changed/u);
    assert.doesNotMatch(text, /not known/u, 'a read that is refused has done nothing');
  }
  const client = await connectClient(t, requests.url, requests.token);
  await assert.rejects(client.callTool({ name: 'root_list', arguments: {} }), /Nothing was changed/u);
  await assert.rejects(client.listResources(), /Nothing was changed/u);
  store.heads = () => Promise.reject(new Error(secret));
  const broken = await requests.post('/api/v1/root.list', {});
  assert.deepEqual([broken.status, broken.body['problem']], [500, { reason: 'read-failed' }]);
  assert.ok(failures.length >= 7);
});

test('[OP62] a misspelled key of a config is refused by HTTP, by the routes of the original and by MCP', async (t) => {
  const { requests } = await serveLoom(t);
  const config = { systemPromt: 'Be brief.' };
  const refused = await requests.post('/api/v1/root.create', { config });
  const meant = { reason: 'unknown-config-key', key: 'systemPromt', nearest: ['systemPrompt'] };
  assert.equal(refused.status, 400);
  assert.partialDeepStrictEqual(refused.body['refusal'], meant);
  const begin = async (body: object): Promise<unknown[]> => {
    const headers = { 'content-type': 'application/json' };
    const answer = await requests.fetch('/api/roots', { method: 'POST', headers, body: JSON.stringify(body) });
    return [answer.status, await answer.json()];
  };
  const original = await begin(config);
  assert.partialDeepStrictEqual(original, [400, { refusal: meant }]);
  assert.match(JSON.stringify(original), /Did you mean systemPrompt\?/u);
  const mistyped = [400, { refusal: { reason: 'invalid-params' } }];
  assert.partialDeepStrictEqual(await begin({ systemPrompt: 'Be brief.', tools: 'shell' }), mistyped);
  const client = await connectClient(t, requests.url, requests.token);
  const tool = await client.callTool({ name: 'root_create', arguments: { config: { theme: 'dark' } } });
  assert.equal(tool.isError, true);
  assert.match(textOf(tool), /no key theme.*systemPrompt.*under custom/su);
  assert.deepEqual((await requests.call('root.list', {})).items, []);
});
