import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { blobsOf } from '@loom/kernel/store';
import { instantClock } from '@loom/kernel/testing';
import { createMCPClient } from '@ai-sdk/mcp';
import { Client as OlderClient } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { z } from 'zod';
import { LoomServer } from '../server.ts';
import { connectClient, textOf } from '../testing/mcp-client.ts';
import { readRawEvents } from '../testing/event-reader.ts';
import { noUploads, owner, serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';
import { KeptSessions } from './kept-sessions.ts';
import type { SessionKeeper } from './kept-sessions.ts';
import { RecentMessages } from './recent-messages.ts';

/** Puts another server in the place of the first, with the same data: a process that was started anew. */
async function restart(
  t: TestContext,
  { server, engine, store, tokens, url, failures }: Served,
  sessions?: SessionKeeper,
): Promise<void> {
  await server.close();
  // The client's own connections learn of it.
  for (let turns = 0; turns < 100; turns += 1) await setImmediate();
  const blobs = blobsOf(store);
  let last = 0;
  const again = new LoomServer({
    blobs,
    uploads: noUploads,
    engine,
    tokens,
    secrets: store,
    clock: instantClock(),
    ...(sessions === undefined ? {} : { mcp: { sessions } }),
    newId: () => `again-${(last += 1)}`,
    onFailure: (error) => void failures.push(error),
  });
  await again.listen({ port: Number(new URL(url).port) });
  t.after(() => again.close());
}

for (const mode of ['auto', 'legacy'] as const) {
  test(`[MC13] a client goes on with a server that was started anew (${mode})`, async (t) => {
    const sessions = memoryKeeper();
    const served = await serveLoom(t, { mcp: { sessions } });
    const client = await connectClient(t, served.url, served.requests.token, mode);
    const before = await client.callTool({ name: 'root_create', arguments: {} });
    await restart(t, served, sessions);
    const after = await client.callTool({ name: 'root_list', arguments: {} });
    const { root } = z.object({ root: z.string() }).parse(before.structuredContent);
    assert.ok(textOf(after).includes(root));
    assert.deepEqual(served.failures, []);
  });
}

test('[MC13] a session belongs to its token; one that is over, or was never given, is not found, also after a restart', async (t) => {
  const sessions = memoryKeeper();
  const served = await serveLoom(t, { mcp: { sessions } });
  const other = await served.as({ agent: 'other', type: 'model', role: 'reader' });
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'initialize', params });
  const begin = async (): Promise<string> => {
    const begun = await served.requests.fetch('/mcp', { method: 'POST', headers, body });
    await begun.body?.cancel();
    return begun.headers.get('mcp-session-id') ?? assert.fail();
  };
  const [id, kept] = [await begin(), await begin()];
  const ask = async (requests: typeof other, session: string): Promise<number> => {
    const request = { jsonrpc: '2.0', id: 2, method: 'tools/list', params: {} };
    const answered = await requests.fetch('/mcp', {
      method: 'POST',
      headers: { ...headers, 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' },
      body: JSON.stringify(request),
    });
    await answered.body?.cancel();
    return answered.status;
  };
  assert.equal(await ask(served.requests, id), 200);
  assert.equal(await ask(other, id), 404);
  const neverGiven = ['made-up', `loom-${'0'.repeat(32)}`];
  for (const made of neverGiven) assert.equal(await ask(served.requests, made), 404);
  const ended = await served.requests.fetch('/mcp', { method: 'DELETE', headers: { 'mcp-session-id': id } });
  assert.equal(ended.status, 200);
  assert.equal(await ask(served.requests, id), 404);
  await restart(t, served, sessions);
  for (const gone of [id, ...neverGiven]) assert.equal(await ask(served.requests, gone), 404);
  assert.equal(await ask(other, kept), 404);
  assert.equal(await ask(served.requests, kept), 200);
  assert.deepEqual(served.failures, []);
});

function memoryKeeper(): SessionKeeper & { kept?: unknown } {
  const keeper: SessionKeeper & { kept?: unknown } = {
    read: async () => keeper.kept,
    write: async (sessions) => void (keeper.kept = sessions),
  };
  return keeper;
}

test('[MC13] a session that is taken up again has its subscriptions, for its own agent alone', async (t) => {
  const sessions = memoryKeeper();
  const served = await serveLoom(t, { mcp: { sessions } });
  const { requests } = served;
  const roots = [await requests.call('root.create', {}), await requests.call('root.create', {})];
  const [watched = '', left = ''] = roots.map(({ root }) => `loom://conversations/${root}`);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-11-25',
  };
  const say = async (session: string | undefined, method: string, params: object): Promise<Response> => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: method, method, params });
    const known = session === undefined ? {} : { 'mcp-session-id': session };
    const answer = await requests.fetch('/mcp', { method: 'POST', headers: { ...headers, ...known }, body });
    await answer.text();
    return answer;
  };
  const begin = async (): Promise<string> => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    return (await say(undefined, 'initialize', params)).headers.get('mcp-session-id') ?? assert.fail();
  };
  const [id, ended] = [await begin(), await begin()];
  for (const uri of ['../etc/passwd', watched, left]) await say(id, 'resources/subscribe', { uri });
  await say(id, 'resources/unsubscribe', { uri: left });
  await say(ended, 'resources/subscribe', { uri: watched });
  await requests.fetch('/mcp', { method: 'DELETE', headers: { 'mcp-session-id': ended } });
  assert.deepEqual(sessions.kept, [{ id, owner: JSON.stringify(owner), uris: [watched] }]);
  await restart(t, served, sessions);
  const events = readRawEvents(await requests.fetch('/mcp', { headers: { ...headers, 'mcp-session-id': id } }));
  for (const { root } of roots.toReversed()) await requests.call('root.mark', { root, title: 'changed' });
  const { value } = await events.next();
  assert.partialDeepStrictEqual(value, {
    data: { method: 'notifications/resources/updated', params: { uri: watched } },
  });
  await events.return();
  const again = new KeptSessions(sessions, () => assert.fail());
  assert.deepEqual(await again.of(id, JSON.stringify(owner)), [watched]);
  assert.deepEqual(await again.of(id, JSON.stringify({ ...owner, agent: 'other' })), []);
  assert.deepEqual(served.failures, []);
});

test('[MC13] what a stream has missed is kept, up to 4 MB', async () => {
  const sent = new RecentMessages();
  const message = (text: string) => ({ jsonrpc: '2.0' as const, method: 'x', params: { text } });
  const ids = [
    await sent.storeEvent('a', message('1')),
    await sent.storeEvent('b', message('2')),
    await sent.storeEvent('a', message('3')),
  ];
  const replayed: unknown[] = [];
  const send = async (id: string): Promise<void> => void replayed.push(id);
  assert.equal(await sent.replayEventsAfter(ids[0] ?? '', { send }), 'a');
  assert.deepEqual(replayed, [ids[2]]);
  for (let count = 0; count < 6; count += 1) await sent.storeEvent('a', message('x'.repeat(1024 * 1024)));
  assert.equal(sent.knows(ids[0] ?? ''), false);
  assert.equal(sent.knows('9'), true);
});

test('[MC13] what cannot be kept, or was damaged, costs subscriptions and nothing else', async () => {
  const failures: unknown[] = [];
  const broken = (): Promise<never> => Promise.reject(new Error('no'));
  const subscribe = { jsonrpc: '2.0', id: 1, method: 'resources/subscribe', params: { uri: 'loom://conversations/a' } };
  const kept = new KeptSessions({ read: broken, write: broken }, (error) => failures.push(error));
  await kept.note('s', 'me', [subscribe, { method: 'tools/list' }, null, 'x']);
  assert.deepEqual(await kept.of('s', 'me'), ['loom://conversations/a']);
  assert.equal(failures.length, 2);
  for (const nonsense of [null, 'x', [{ id: 's' }], { s: 1 }]) {
    const damaged = new KeptSessions({ read: async () => nonsense, write: async () => {} }, () => assert.fail());
    assert.deepEqual(await damaged.of('s', 'me'), []);
  }
  const full = new KeptSessions(undefined, () => assert.fail());
  for (let count = 0; count < 300; count += 1) {
    const params = { uri: `loom://conversations/${count}` };
    await full.note('s', 'me', { ...subscribe, params });
    await full.note(`s${count}`, 'me', subscribe);
  }
  assert.equal((await full.of('s', 'me')).length, 100);
  assert.deepEqual(await full.of('s0', 'me'), []);
});

test('[MC14] clients of other makers and of older versions list, read and write', async (t) => {
  const served = await serveLoom(t);
  const { root } = await served.requests.call('root.create', {});
  const url = new URL('/mcp', served.url);
  const headers = { authorization: `Bearer ${served.requests.token}` };
  const foreign = await createMCPClient({ transport: { type: 'http', url: url.href, headers } });
  t.after(() => foreign.close());
  const tools = await foreign.tools();
  const said = { parent: root, messages: [{ role: 'user', content: 'From another client.' }] };
  const options = { toolCallId: '1', messages: [], context: {} };
  assert.match(JSON.stringify(await tools['node_append']?.execute?.(said, options)), /node-1/u);
  assert.match(
    JSON.stringify(await tools['node_path']?.execute?.({ node: `${root}/node-1` }, options)),
    /From another client\./u,
  );
  const older = new OlderClient({ name: 'older', version: '1' });
  await older.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));
  t.after(() => older.close());
  assert.ok((await older.listTools()).tools.length > 20);
  const read = await older.callTool({ name: 'block_read', arguments: { block_id: `${root}/@person/1` } });
  assert.match(JSON.stringify(read), /From another client\./u);
  assert.equal((await older.listResources()).resources.length, 1);
});
