import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { StoreError } from '@loom/kernel/store';
import { passOn } from '@loom/kernel/store';
import { createMemoryStore } from '@loom/stores/memory';
import { readRawEvents } from '../testing/event-reader.ts';
import { serveLoom } from '../testing/served-loom.ts';
import { measureCalls } from './measured-call.ts';
import { Metrics } from './metrics.ts';
import type { LogEntry } from './server-log.ts';
import { describeFailure } from './server-log.ts';

test('[SV72] counters, gauges and histograms are written in the text form of Prometheus', () => {
  const metrics = new Metrics();
  const count = metrics.counter('a_total', 'Counts.');
  count({ name: 'x"y\\z\n' });
  count({ name: 'x"y\\z\n' }, 2);
  metrics.gauge('b', 'Is read.', () => 3);
  const observe = metrics.histogram('c_seconds', 'Takes.', [0.1, 1]);
  for (const value of [0.05, 0.5, 5]) observe({ of: 'it' }, value);
  assert.equal(
    metrics.write(),
    [
      '# HELP a_total Counts.',
      '# TYPE a_total counter',
      'a_total{name="x\\"y\\\\z\\n"} 3',
      '# HELP b Is read.',
      '# TYPE b gauge',
      'b 3',
      '# HELP c_seconds Takes.',
      '# TYPE c_seconds histogram',
      'c_seconds_bucket{of="it",le="0.1"} 1',
      'c_seconds_bucket{of="it",le="1"} 2',
      'c_seconds_bucket{of="it",le="+Inf"} 3',
      'c_seconds_sum{of="it"} 5.55',
      'c_seconds_count{of="it"} 3',
      '',
    ].join('\n'),
  );
});

/** The value of a metric, by its name with its labels. */
function valueIn(text: string, name: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length + 1));
}

test('[SV72] the server counts operations, followers, frames, changes, turns and tokens, and tells owners of everything alone', async (t) => {
  const { requests, as, server, url } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const events = readRawEvents(await requests.fetch('/api/v1/list/events'));
  await events.next();
  const said = { role: 'user' as const, content: 'canary-content' };
  const { nodes } = await requests.call('node.append', { parent: root, messages: [said] });
  const { turns } = await requests.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo' });
  await requests.call('turn.wait', { root, turn: turns[0] ?? '' });
  await requests.post('/api/v1/root.get', { root: 'root-none' });
  await requests.post('/api/v1/made.up', {});
  await fetch(`${url}/metrics`);
  const text = await (await requests.fetch('/metrics')).text();
  const expected: [string, number][] = [
    ['loom_requests_total{operation="root.create",outcome="ok"}', 1],
    ['loom_requests_total{operation="root.get",outcome="root-not-found"}', 1],
    ['loom_requests_total{operation="unknown",outcome="unknown-operation"}', 1],
    ['loom_request_seconds_count{operation="node.append"}', 1],
    ['loom_turned_away_total{reason="no-token"}', 1],
    ['loom_feed_clients{of="list"}', 1],
    ['loom_feed_clients{of="conversations"}', 0],
    ['loom_turns_running', 0],
    ['loom_conversations_open', 1],
  ];
  for (const [name, value] of expected) assert.equal(valueIn(text, name), value, name);
  for (const name of [
    'loom_changes_total',
    'loom_tokens_total{direction="input"}',
    'loom_tokens_total{direction="output"}',
    'loom_feed_frames_total{way="events"}',
    'loom_feed_bytes_total{way="events"}',
    'loom_memory_bytes',
  ]) {
    assert.ok((valueIn(text, name) ?? 0) > 0, name);
  }
  // The delay is sampled now and then, so the first answers may show none.
  const delay = 'loom_event_loop_delay_seconds{quantile="1"}';
  for (let seen = valueIn(text, delay); seen === 0;) {
    seen = valueIn(await (await requests.fetch('/metrics')).text(), delay);
    assert.notEqual(seen, undefined);
  }
  assert.notEqual(valueIn(text, delay), undefined);
  assert.doesNotMatch(text, /canary|root-\d|person/u);
  const state = await requests.call('root.get', { root });
  assert.equal(valueIn(text, 'loom_tokens_total{direction="output"}'), state.usage.output_tokens);
  const eve = await as({ agent: 'eve', type: 'person', role: 'owner', roots: [root] });
  assert.equal((await eve.fetch('/metrics')).status, 404);
  assert.ok(server.routes.some(({ path }) => path === '/metrics'));
  await events.return();
});

const health = z.strictObject({
  ok: z.literal(true),
  value: z.strictObject({
    up: z.boolean(),
    version: z.string(),
    uptime_s: z.int(),
    store: z.string(),
    conversations_open: z.int(),
    turns_running: z.int(),
    lost_logs: z.int(),
    damaged_logs: z.int(),
    memory_bytes: z.int().positive(),
    disk_free_bytes: z.int().exactOptional(),
  }),
});

test('[SV71] health tells how the server is, and that its store cannot be read', async (t) => {
  const memory = createMemoryStore({ now: Date.now });
  let isBroken = false;
  const store = {
    ...passOn(memory),
    heads: (request: Parameters<typeof memory.heads>[0]) =>
      isBroken ? Promise.reject(new StoreError('store-failed', 'away', 'Wait.')) : memory.heads(request),
  };
  const { requests } = await serveLoom(t, { store });
  const well = await requests.fetch('/api/v1/health');
  assert.deepEqual([well.status, health.parse(await well.json()).value.store], [200, 'ok']);
  isBroken = true;
  const ill = await requests.fetch('/api/v1/health');
  assert.deepEqual([ill.status, health.parse(await ill.json()).value.store], [503, 'failed']);
});

test('[SV71] [FR15] a log that turns out to be damaged is named in the list and counted by health, until it can be read', async (t) => {
  const memory = createMemoryStore({ now: Date.now });
  let damaged = '';
  const store = {
    ...passOn(memory),
    read: (...given: Parameters<typeof memory.read>) =>
      given[0] === damaged
        ? Promise.reject(new StoreError('store-corrupt', 'record 1 is damaged', 'Restore a backup.'))
        : memory.read(...given),
  };
  const { requests, engine } = await serveLoom(t, { store });
  const [one, other] = [await requests.call('root.create', {}), await requests.call('root.create', {})];
  await engine.forest.log(one.root).release();
  damaged = one.root;
  const refused = await requests.post('/api/v1/root.get', { root: one.root });
  assert.deepEqual([refused.status, refused.body['problem']], [503, { reason: 'store-unreadable' }]);
  const look = async (): Promise<unknown> => {
    const { items } = await requests.call('root.list', {});
    const { value } = health.parse(await (await requests.fetch('/api/v1/health')).json());
    return [items.filter((item) => item.damaged !== undefined).map(({ id }) => id), items.length, value.damaged_logs];
  };
  assert.deepEqual(await look(), [[one.root], 2, 1]);
  assert.equal((await requests.post('/api/v1/root.get', { root: other.root })).status, 200);
  damaged = '';
  assert.deepEqual(await look(), [[], 2, 0]);
});

test('[SV71] without a token health says up or down and nothing else; a full disk is down', async (t) => {
  let room: number | undefined = 10 ** 9;
  const { requests, url } = await serveLoom(t, { diskRoom: async () => room });
  const asked = async (headers: Record<string, string> = {}): Promise<unknown[]> => {
    const response = await fetch(`${url}/api/v1/health`, { headers });
    return [response.status, await response.json()];
  };
  assert.deepEqual(await asked(), [200, { ok: true, value: { up: true } }]);
  room = undefined;
  assert.deepEqual(await asked(), [200, { ok: true, value: { up: true } }], 'room that is not known is no fault');
  room = 4096;
  assert.deepEqual(await asked(), [503, { ok: true, value: { up: false } }]);
  const told = await requests.fetch('/api/v1/health');
  const { value } = health.parse(await told.json());
  assert.deepEqual([told.status, value.up, value.store, value.disk_free_bytes], [503, false, 'full', 4096]);
  assert.deepEqual((await asked({ authorization: 'Bearer wrong' }))[0], 401, 'a token that is sent must be right');
});

test('[SV73] a failure is told by its kind, its code and its place, never by its message', () => {
  const error = Object.assign(new TypeError('canary-content\n    at canary', { cause: new RangeError('canary') }), {
    code: 'E1',
  });
  const told = describeFailure(error);
  assert.deepEqual({ ...told, at: '' }, { kind: 'TypeError', code: 'E1', cause: 'RangeError', at: '' });
  assert.match(String(told['at']), /observing\.test\.ts/u);
  assert.doesNotMatch(JSON.stringify(told), /canary/u);
  assert.deepEqual(describeFailure('canary'), { kind: 'string' });
});

test('[SV73] an operation that takes a second is noted, with who asked and nothing of what; one that waits by its nature is not', async (t) => {
  const { engine } = await serveLoom(t);
  const entries: LogEntry[] = [];
  let time = 0;
  const measures = { called: () => {} };
  let step = 600;
  const log = (entry: LogEntry): void => void entries.push(entry);
  const measured = measureCalls({ engine, measures, log, now: () => (time += step) });
  const caller = { agent: 'eve', type: 'person', role: 'owner', id: 'x', door: 'http' } as const;
  await measured.call('root.list', caller, {});
  assert.deepEqual(entries, []);
  step = 1200;
  await measured.call('turn.wait', caller, { root: 'none', turn: 'none' });
  await measured.call('canary', caller, { canary: 1 });
  assert.deepEqual(entries, [
    { level: 'warn', event: 'slow', operation: 'unknown', outcome: 'unknown-operation', agent: 'eve', ms: 1200 },
  ]);
});

test('[SV72] operations are counted by whichever door they are asked for: their own route, the routes of the original, and MCP', async (t) => {
  const { requests } = await serveLoom(t);
  const count = async (operation: string): Promise<number | undefined> =>
    valueIn(
      await (await requests.fetch('/metrics')).text(),
      `loom_requests_total{operation="${operation}",outcome="ok"}`,
    );
  await requests.call('root.list', {});
  assert.equal(await count('root.list'), 1);
  await requests.fetch('/api/roots');
  assert.equal(await count('root.list'), 2);
  const headers = {
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2025-06-18',
  };
  const send = (body: object, more: Record<string, string> = {}): Promise<Response> =>
    requests.fetch('/mcp', { method: 'POST', headers: { ...headers, ...more }, body: JSON.stringify(body) });
  const client = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const begun = await send({ jsonrpc: '2.0', id: 1, method: 'initialize', params: client });
  await begun.text();
  const session = { 'mcp-session-id': begun.headers.get('mcp-session-id') ?? '' };
  await send({ jsonrpc: '2.0', method: 'notifications/initialized' }, session);
  const params = { name: 'root_list', arguments: {} };
  const called = await send({ jsonrpc: '2.0', id: 2, method: 'tools/call', params }, session);
  assert.match(await called.text(), /"items/u);
  assert.equal(await count('root.list'), 3);
});
