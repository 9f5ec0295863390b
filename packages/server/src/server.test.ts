import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import { Replica } from '@loom/sync';
import { z } from 'zod';
import { framesOf } from './testing/frames.ts';
import { serveLoom } from './testing/served-loom.ts';

test('[SV30] a conversation goes through every layer: it is begun, said to, answered and followed', async (t) => {
  const { requests } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const { nodes } = await requests.call('node.append', {
    parent: root,
    messages: [{ role: 'user', content: 'hello' }],
  });
  const socket = await requests.connect();
  const heard: string[] = [];
  let next = 0;
  const replica = new Replica({
    root,
    clock: { now: () => 0 },
    ids: { next: () => `join-${(next += 1)}` },
    onLost: () => {},
  });
  socket.on('message', (data) => {
    for (const frame of framesOf(data)) {
      heard.push(frame.type);
      replica.receive(frame);
    }
  });
  replica.connect((text) => socket.send(text));
  const { turns } = await requests.call('turn.start', { node: nodes[0] ?? '', provider: 'demo', model: 'demo' });
  const { ended } = await requests.call('turn.wait', { root, turn: turns[0] ?? '' });
  assert.equal(ended, 'done');
  const said = [...replica.nodes.values()].map(({ role, blocks }) => [
    role,
    blocks.map((block) => replica.text(block.block_id ?? '')),
  ]);
  assert.deepEqual(said[0], ['user', ['hello']]);
  assert.match(String(said[1]), /^assistant,\*\*Hello, and welcome to Loom!\*\*.*everything else that I react to\.$/su);
  assert.ok(heard.filter((type) => type === 'change').length > 3, 'it came while it was written');
  socket.close();
  await once(socket, 'close');
});

test('[SV80] a HEAD request for a stream opens none', async (t) => {
  const { requests } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const following = async (): Promise<string[]> => {
    const metrics = await (await requests.fetch('/metrics')).text();
    return metrics.split('\n').filter((line) => line.startsWith('loom_feed_clients{'));
  };
  const before = await following();
  for (const path of [`/api/v1/events?root=${root}`, '/api/v1/list/events']) {
    const head = await requests.fetch(path, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-type')], [200, 'text/event-stream']);
    const opened = await requests.fetch(path);
    assert.notDeepEqual(await following(), before, 'what is planted is found');
    await opened.body?.cancel();
    for (let tries = 0; tries < 100 && String(await following()) !== String(before); tries += 1) await setImmediate();
    assert.deepEqual(await following(), before, path);
  }
});

for (const rest of ['x'.repeat(96), '']) {
  test(`[SV41] a server that stops does not wait for a request that was refused and ${rest === '' ? 'never ends' : 'ends later'}`, async (t) => {
    const { server, url, requests } = await serveLoom(t);
    const { hostname, port, host } = new URL(url);
    const socket = connect(Number(port), hostname);
    const lines = [`host: ${host}`, `authorization: Bearer ${requests.token}`, 'content-type: text/plain'];
    socket.write(`POST /api/v1/root.create HTTP/1.1\r\n${lines.join('\r\n')}\r\ncontent-length: 100\r\n\r\nhalf`);
    const [answer] = z.tuple([z.instanceof(Uint8Array)]).parse(await once(socket, 'data'));
    assert.match(new TextDecoder().decode(answer), /^HTTP\/1\.1 415 /u);
    const hungUp = once(socket, 'close');
    t.mock.timers.enable({ apis: ['setTimeout'] });
    const closed = server.close();
    if (rest !== '') socket.write(rest);
    socket.resume();
    // The wait is given up after some turns of the server's own timers. Node itself would keep the connection for a minute by the clock.
    const end = { isThere: false };
    void Promise.all([closed, hungUp]).then(() => (end.isThere = true));
    for (let turns = 0; turns < 10_000 && !end.isThere; turns += 1) {
      await setImmediate();
      t.mock.timers.tick(10);
    }
    assert.ok(end.isThere, 'it waits');
  });
}
