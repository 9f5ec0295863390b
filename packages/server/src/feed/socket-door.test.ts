import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeFrame, EncodedFrame } from '@loom/sync';
import type { Member } from '@loom/sync';
import { VirtualClock } from '@loom/kernel/testing';
import { once } from 'node:events';
import { WebSocket } from 'ws';
import { closing, joinFrame, SocketClient } from '../testing/socket-client.ts';
import { serveLoom } from '../testing/served-loom.ts';
import type { Served } from '../testing/served-loom.ts';
import { BatchEncoder } from './batches.ts';
import { Rooms } from './rooms.ts';
import { frameLimit } from './socket-door.ts';

async function begin({ requests }: Served): Promise<{ root: string; block: string }> {
  const { root } = await requests.call('root.create', {});
  const { block_id: block } = await requests.call('block.create', { parent_id: root, role: 'assistant', kind: 'text' });
  return { root, block };
}

test('[SV20] what happens within a tick is one message, and all who hear the same share its encoding', async (t) => {
  const served = await serveLoom(t);
  const { root, block } = await begin(served);
  const client = await new SocketClient(await served.requests.connect(), root).ready();
  const burst = Array.from({ length: 50 }, (_, index) =>
    served.engine.blocks.append({ agent: 'person', id: `burst-${index}` }, { block_id: block, text: `${index} ` }),
  );
  await Promise.all(burst);
  await client.until(() => client.texts.at(-1)?.endsWith('49 ') === true);
  assert.ok(client.messages.length < 26, `50 changes came in ${client.messages.length - 1} messages`);
  const encoder = new BatchEncoder();
  const [one, other] = ['a', 'b'].map((agent) => new EncodedFrame({ type: 'gone', agent }));
  assert.ok(one !== undefined && other !== undefined);
  const first = encoder.encode([one, other]);
  assert.equal(new TextDecoder().decode(first), '[{"type":"gone","agent":"a"},{"type":"gone","agent":"b"}]');
  assert.equal(encoder.encode([one, other]), first);
  assert.notEqual(encoder.encode([one]), first);
});

test('[SV21] a client that does not read costs the others nothing: it loses what is above 4 MB and is told to join again', async (t) => {
  const served = await serveLoom(t);
  const { root, block } = await begin(served);
  const stuck = await new SocketClient(await served.requests.connect(), root).ready();
  const reading = await new SocketClient(await served.requests.connect(), root).ready();
  stuck.socket.pause();
  const piece = 'x'.repeat(199_999);
  for (let count = 0; count < 60; count += 1) {
    await served.requests.call('block.append', { block_id: block, text: `${piece}\n` });
  }
  await served.requests.call('block.append', { block_id: block, text: 'the end' });
  await reading.until(() => reading.texts.at(-1)?.endsWith('the end') === true);
  stuck.socket.resume();
  await stuck.until(() => stuck.texts.at(-1)?.endsWith('the end') === true);
  const resyncs = (client: SocketClient): number => client.frames.filter(({ type }) => type === 'resync').length;
  assert.equal(resyncs(stuck), 1);
  assert.equal(resyncs(reading), 0);
  assert.equal(stuck.texts.at(-1), reading.texts.at(-1));
  const changes = stuck.frames.filter(({ type }) => type === 'change').length;
  assert.ok(changes < 60, `of 61 changes of 200 KB ${changes} had been kept for it`);
});

test('[SV50] a room is kept for a minute after everyone has left, and then given up', async (t) => {
  const clock = new VirtualClock();
  const { engine, requests } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const rooms = new Rooms({ engine, clock, onFailure: () => assert.fail() });
  const enter = (): Member =>
    rooms.enter(root, { send: () => true, close: () => {} }, { agent: 'eve', mayWrite: false });
  const counts = (): unknown[] => [rooms.size, engine.forest.log(root).isInUse];
  rooms.leave(root, enter());
  assert.deepEqual(counts(), [0, true]);
  clock.advance(59_000);
  const member = enter();
  clock.advance(60_000);
  assert.deepEqual(counts(), [1, true]);
  rooms.leave(root, member);
  clock.advance(60_000);
  assert.deepEqual(counts(), [0, false]);
});

test('[SV24] a connection is for one conversation that its agent may see; a reader only reads', async (t) => {
  const served = await serveLoom(t);
  const { root, block } = await begin(served);
  const reader = await served.as({ agent: 'eve', type: 'person', role: 'reader', roots: [root] });
  const other = await served.requests.call('root.create', {});
  const refused = await new SocketClient(await reader.connect(), other.root).ready();
  assert.equal(refused.replica.refusal?.reason, 'not-permitted');
  const missing = await new SocketClient(await served.requests.connect(), 'root-none').ready();
  assert.equal(missing.replica.refusal?.reason, 'root-not-found');
  assert.deepEqual(await served.store.read('root-none', 0), undefined, 'nothing is left behind');
  const client = await new SocketClient(await reader.connect(), root).ready();
  assert.equal(client.replica.status, 'live');
  client.socket.send(encodeFrame({ type: 'open', id: 'open-1', block }));
  await client.until(() =>
    client.frames.some((frame) => frame.type === 'refused' && frame.refusal.reason === 'not-permitted'),
  );
});

test('[SV24] what is not a frame ends the connection with a reason', async (t) => {
  const { requests, failures } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const bad: [string | Uint8Array, number, RegExp][] = [
    ['{"type":"open","id":"x","block":"y"}', 1008, /first frame must be a join/u],
    ['nonsense', 1008, /not JSON/u],
    [`{"__proto__":${joinFrame(root)}}`, 1008, /__proto__/u],
    [new Uint8Array(3), 1008, /JSON texts/u],
    [joinFrame(root).replace('"id"', '"colour":1,"id"'), 1012, /not a valid frame/u],
    [`"${'x'.repeat(frameLimit)}"`, 1009, /^/u],
  ];
  for (const [message, code, reason] of bad) {
    const socket = await requests.connect();
    socket.send(message);
    const closed = await closing(socket);
    assert.equal(closed.code, code, closed.reason);
    assert.match(closed.reason, reason);
  }
  assert.deepEqual(failures.length, 1, 'a frame that is wrong inside is told by the room');
});

test('[SV25] a client that is gone without a word is let go after two heartbeats', async (t) => {
  const clock = new VirtualClock();
  const { requests } = await serveLoom(t, { clock });
  const alive = await requests.connect();
  const dead = await requests.connect({ autoPong: false });
  const closed = once(dead, 'close');
  clock.advance(30_000);
  await Promise.all([once(alive, 'ping'), once(dead, 'ping')]);
  // A request behind the pong: when it is answered, everything sent before has arrived.
  await new Promise((resolve) => alive.ping('', undefined, resolve));
  await once(alive, 'pong');
  clock.advance(30_000);
  await closed;
  assert.equal(alive.readyState, WebSocket.OPEN);
});
