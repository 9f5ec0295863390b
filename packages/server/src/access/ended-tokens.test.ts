import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { Provider, ProviderCall, ProviderEvent, ProviderHost } from '@loom/kernel';
import { rest, VirtualClock } from '@loom/kernel/testing';
import { WebSocket } from 'ws';
import { OpenVisits } from './open-visits.ts';
import { openTokens } from './tokens.ts';
import { closing, SocketClient } from '../testing/socket-client.ts';
import { Requests } from '../testing/requests.ts';
import { owner, serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';

async function admit({ tokens, url, engine }: Served, lifetime?: number): Promise<{ id: string; requests: Requests }> {
  const identity = { agent: 'ada', type: 'person', role: 'writer' } as const;
  const { id, token } = await tokens.create({ identity, ...(lifetime === undefined ? {} : { lifetime }) });
  return { id, requests: new Requests(url, token, engine.operations) };
}

/** A `fetch` that knows how many streams of events it has open. */
class Streams {
  open = 0;
  #wake = (): void => {};

  readonly fetch = async (url: string | URL, init?: RequestInit): Promise<Response> => {
    const response = await fetch(url, init);
    const { body, headers } = response;
    if (body === null || headers.get('content-type') !== 'text/event-stream') return response;
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    this.open += 1;
    const over = (): void => {
      this.open -= 1;
      this.#wake();
    };
    void body.pipeTo(writable).then(over, over);
    return new Response(readable, { status: response.status, headers });
  };

  async allEnded(): Promise<void> {
    while (this.open > 0) await new Promise<void>((resolve) => (this.#wake = resolve));
  }
}

test('[SV77] a token that is revoked ends its connections, streams and sessions at once, and those of no other', async (t) => {
  const served = await serveLoom(t);
  const { root } = await served.requests.call('root.create', {});
  const { id, requests } = await admit(served);
  const socket = await new SocketClient(await requests.connect(), root).ready();
  const other = await new SocketClient(await served.requests.connect(), root).ready();
  const streams = new Streams();
  const headers = { authorization: `Bearer ${requests.token}` };
  const bodies = ['/api/v1/list/events', `/api/v1/events?root=${root}`].map(async (path) => {
    const response = await streams.fetch(`${served.url}${path}`, { headers });
    void response.body?.pipeTo(new WritableStream()).catch(() => {});
  });
  await Promise.all(bodies);
  for (const mode of ['auto', 'legacy'] as const) {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const options = { requestInit: { headers }, fetch: streams.fetch };
    await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', served.url), options));
    t.after(() => client.close());
    const uri = `loom://conversations/${root}`;
    if (mode === 'auto') await client.listen({ resourceSubscriptions: [uri] });
    else await client.subscribeResource({ uri });
  }
  const ticket = await requests.feedAddress();
  while (streams.open < 4) await rest();
  const closed = closing(socket.socket);
  await served.requests.call('token.revoke', { id });
  assert.deepEqual(await closed, { code: 1008, reason: 'the token is not valid any more; sign in again' });
  await streams.allEnded();
  const late = new WebSocket(ticket);
  const refused: unknown[] = await once(late, 'error');
  assert.match(String(refused[0]), /401/u, 'a ticket ends with its token');
  await served.requests.call('root.mark', { root, title: 'still heard' });
  await other.until(() => other.replica.root.title === 'still heard');
  assert.deepEqual([...other.replica.here], ['person']);
  assert.deepEqual(served.failures, []);
});

test('[SV77] the answer to a token that revokes itself comes through; one whose time is over ends what it has opened', async (t) => {
  const clock = new VirtualClock();
  const served = await serveLoom(t, { clock });
  const { root } = await served.requests.call('root.create', {});
  const { id, token } = await served.tokens.create({ identity: owner });
  const self = new Requests(served.url, token, served.engine.operations);
  assert.deepEqual(await self.call('token.revoke', { id }), { revoked: true });
  assert.equal((await self.post('/api/v1/root.list', {})).status, 401);
  const { requests } = await admit(served, 20_000);
  const stream = await requests.fetch(`/api/v1/events?root=${root}`);
  const reading = stream.body?.pipeTo(new WritableStream()) ?? assert.fail();
  await clock.advanceAndRest(19_000);
  assert.equal((await requests.post('/api/v1/root.list', {})).status, 200);
  await clock.advanceAndRest(1000);
  await assert.rejects(reading);
});

test('[SV77] a token may be valid for longer than a timer can wait', async () => {
  const clock = new VirtualClock(0);
  const tokens = await openTokens({
    keeper: { read: async () => undefined, write: async () => {} },
    now: () => clock.now(),
  });
  const visits = new OpenVisits(tokens, clock);
  const days = 40 * 24 * 60 * 60 * 1000;
  const { id } = await tokens.create({ identity: owner, lifetime: days });
  const ended: string[] = [];
  visits.enter(id, () => ended.push('first'));
  visits.enter(id, () => ended.push('left'))();
  clock.advance(days - 1);
  assert.equal(ended.length, 0);
  clock.advance(1);
  assert.deepEqual(ended, ['first']);
  visits.enter(id, () => ended.push('late'));
  assert.deepEqual(ended, ['first', 'late'], 'what comes after the end is over at once');
});

/** Says one word, and no more until it is stopped. */
async function* speakOn(_request: unknown, { signal }: ProviderCall): AsyncGenerator<ProviderEvent> {
  yield { type: 'call-start' };
  yield { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'half' } };
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  yield { type: 'call-error', error: { code: 'stopped', message: 'It was told to stop.' } };
}

for (const isKept of [true, false]) {
  const kind = isKept ? 'that is kept' : 'that ends with the process';
  test(`[SV83] turns that an agent begins itself end with the token ${kind} with which it was asked, and none goes on behind that`, async (t) => {
    const hosts: ProviderHost[] = [];
    const agent: Provider = {
      id: 'agent',
      runsTools: true,
      attach: (host) => void hosts.push(host),
      async *stream() {
        yield { type: 'call-start' };
        yield { type: 'block', message: 'm', role: 'assistant', block: { type: 'text', text: 'asked' } };
        yield { type: 'call-end', reason: 'stop' };
      },
    };
    const served = await serveLoom(t, { engine: { providers: [agent] } });
    const { turns } = served.engine;
    const { id, token } = await served.tokens.create({ identity: owner, isKept });
    const requests = new Requests(served.url, token, served.engine.operations);
    const { root } = await requests.call('root.create', {});
    const said = { parent: root, messages: [{ role: 'user' as const, content: 'go' }] };
    const { nodes } = await requests.call('node.append', said);
    const started = await requests.call('turn.start', { node: nodes[0] ?? '', provider: 'agent', model: 'one' });
    const asked = started.turns[0] ?? '';
    await turns.wait(asked);
    const begin = () => hosts[0]?.begin({ root, after: asked, stream: speakOn }) ?? assert.fail();
    const begun = await begin();
    assert.ok(begun.ok);
    const over = turns.wait(begun.value.turn);
    await served.requests.call('token.revoke', { id });
    assert.equal(await over, 'stopped');
    const late = await begin();
    if (isKept) assert.equal(late.ok || late.refusal.reason, 'not-permitted');
    else if (late.ok) assert.notEqual(await turns.wait(late.value.turn), 'done');
    assert.equal(turns.running, 0);
    assert.deepEqual(served.failures, []);
  });
}
