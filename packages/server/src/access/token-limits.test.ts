import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rest } from '@loom/kernel/testing';
import type { TestContext } from 'node:test';
import type { Caller } from '@loom/kernel';
import { WebSocket } from 'ws';
import { TokenLimits } from './token-limits.ts';
import type { Tokens } from './tokens.ts';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';
import type { Requests } from '../testing/requests.ts';

test('[SV87] places are counted by token and kind; who waits gets the next one, and more than may wait are told no', async () => {
  const limits = new TokenLimits({ requests: { atOnce: 2, waiting: 1 } });
  const first = await limits.enter('a', 'requests');
  const second = await limits.enter('a', 'requests');
  const third = limits.enter('a', 'requests');
  assert.ok(third !== undefined);
  assert.equal(limits.enter('a', 'requests'), undefined);
  assert.ok(limits.enter('b', 'requests') !== undefined, 'another token is not concerned');
  assert.ok(limits.take('a', 'streams') !== undefined, 'nor is another kind');
  let isIn = false;
  void third.then(() => (isIn = true));
  await rest();
  assert.equal(isIn, false);
  first?.();
  first?.();
  (await third)();
  assert.equal(limits.held('a', 'requests'), 1, 'giving back twice counts once');
  second?.();
  assert.equal(limits.held('a', 'requests'), 0);
});

interface Scene extends Served {
  root: string;
  /** A reader of one conversation, which asks for as much as it can. */
  flooder: Requests;
  other: Requests;
}

async function openScene(t: TestContext): Promise<Scene> {
  const limits = {
    requests: { atOnce: 10, waiting: 20 },
    streams: { atOnce: 8, waiting: 0 },
    searches: { atOnce: 2, waiting: 20 },
  };
  const served = await serveLoom(t, { limits });
  const { root } = await served.requests.call('root.create', {});
  const flooder = await served.as({ agent: 'eve', type: 'tool', role: 'reader', roots: [root] });
  const other = await served.as({ agent: 'ada', type: 'person', role: 'reader' });
  return { ...served, root, flooder, other };
}

/** Counts the occurrences of each status. */
function tally(statuses: readonly number[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const status of statuses) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

test('[SV87] a reader of one conversation holds as many streams and connections as one token may, and others open theirs', async (t) => {
  const { root, flooder, other } = await openScene(t);
  const open = (by: Requests) => by.fetch(`/api/v1/events?root=${root}`);
  const streams: Response[] = [];
  for (let count = 0; count < 12; count += 1) streams.push(await open(flooder));
  assert.deepEqual(tally(streams.map(({ status }) => status)), { 200: 8, 429: 4 });
  assert.match(await (streams.at(-1) ?? assert.fail()).text(), /too-many-streams/u);
  const refused = new WebSocket(await flooder.feedAddress());
  const why = await new Promise((resolve) => refused.once('error', (error) => resolve(error.message)));
  assert.match(String(why), /429/u, 'a connection counts as a stream');
  assert.deepEqual(await refusedTo(other, root), []);
  await streams[0]?.body?.cancel();
  let again = await open(flooder);
  // The server hears a moment later that the first one was closed.
  for (let looks = 0; looks < 200 && again.status === 429; looks += 1) again = await open(flooder);
  assert.equal(again.status, 200, 'one that is closed makes room');
});

test('[SV87] the streams find a planted fault: what several tokens hold is counted together', async (t) => {
  const { root, flooder, other, tokens } = await openScene(t);
  const find = tokens.find.bind(tokens);
  let first: string | undefined;
  const confused: Tokens['find'] = (given) => {
    const grant = find(given);
    if (grant?.identity.role !== 'reader') return grant;
    first ??= grant.token;
    return { ...grant, token: first };
  };
  Object.assign(tokens, { find: confused });
  // A response that nothing holds is collected, and its stream ends.
  const held: Response[] = [];
  for (let count = 0; count < 8; count += 1) held.push(await flooder.fetch(`/api/v1/events?root=${root}`));
  assert.notDeepEqual(await refusedTo(other, root), []);
  for (const { body } of held) await body?.cancel();
});

/** Returns the kinds of streams that a token is refused. */
async function refusedTo(by: Requests, root: string): Promise<string[]> {
  const { status } = await by.fetch(`/api/v1/events?root=${root}`);
  const socket = new WebSocket(await by.feedAddress());
  const isOpen = await new Promise((resolve) => {
    socket.once('open', () => resolve(true));
    socket.once('error', () => resolve(false));
  });
  socket.terminate();
  return [...(status === 200 ? [] : ['events']), ...(isOpen === true ? [] : ['connection'])];
}

test('[SV87] a token runs few searches at once, however many it asks for, and others are answered meanwhile', async (t) => {
  const { engine, root, flooder, other } = await openScene(t);
  const searches = { running: 0, most: 0 };
  const { promise: held, resolve: release } = Promise.withResolvers<void>();
  const answer = engine.call.bind(engine);
  Object.assign(engine, {
    async call(name: string, caller: Caller, params: unknown) {
      if (name !== 'kernel.search' || caller.agent !== 'eve') return answer<string>(name, caller, params);
      searches.running += 1;
      searches.most = Math.max(searches.most, searches.running);
      await held;
      searches.running -= 1;
      return answer<string>(name, caller, params);
    },
  });
  const search = (by: Requests) => by.post('/api/v1/kernel.search', { query: 'x' });
  const answered: number[] = [];
  const asked = Array.from({ length: 40 }, async () => void answered.push((await search(flooder)).status));
  // 10 requests of a token are under way and 20 wait; those beyond are refused while nothing else was answered.
  while (answered.length < 10 || searches.running < 2) await rest();
  assert.deepEqual(tally(answered), { 429: 10 });
  assert.equal((await search(other)).status, 200, 'another token searches');
  assert.equal((await other.fetch('/api/v1/health')).status, 200);
  assert.equal((await other.post('/api/v1/root.get', { root })).status, 200);
  assert.deepEqual(searches, { running: 2, most: 2 });
  release();
  await Promise.all(asked);
  assert.deepEqual(tally(answered), { 200: 30, 429: 10 });
  assert.equal(searches.most, 2);
  assert.equal((await search(flooder)).status, 200, 'it goes on once its own are answered');
});

test('[SV87] a token that begins session after session of MCP loses its own, and nobody else does', async (t) => {
  const { other, flooder, failures } = await openScene(t);
  const say = async (by: Requests, method: string, params: object, session?: string): Promise<Response> => {
    const known = session === undefined ? {} : { 'mcp-session-id': session, 'mcp-protocol-version': '2025-11-25' };
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...known };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    const answer = await by.fetch('/mcp', { method: 'POST', headers, body });
    await answer.text();
    return answer;
  };
  const begin = async (by: Requests): Promise<string> => {
    const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
    return (await say(by, 'initialize', params)).headers.get('mcp-session-id') ?? assert.fail();
  };
  const first = await begin(other);
  const sessions: string[] = [];
  for (let count = 0; count < 270; count += 1) sessions.push(await begin(flooder));
  assert.equal((await say(other, 'tools/list', {}, first)).status, 200, 'the session of the other token is there');
  const held: number[] = [];
  for (const session of sessions) held.push((await say(flooder, 'tools/list', {}, session)).status);
  assert.deepEqual(tally(held), { 200: 32, 404: 238 });
  assert.deepEqual(failures, []);
});
