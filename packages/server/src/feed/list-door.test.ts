import assert from 'node:assert/strict';
import { test } from 'node:test';
import { encodeListFrame, parseListFrame, protocol } from '@loom/sync';
import type { ListFrame } from '@loom/sync';
import type { RawData, WebSocket } from 'ws';
import { z } from 'zod';
import { readJson } from '../guard/json-reader.ts';
import { closing } from '../testing/socket-client.ts';
import { readRawEvents } from '../testing/event-reader.ts';
import { serveLoom } from '../testing/served-loom.ts';
import { bytesOf } from './message-bytes.ts';

const shown = (frame: ListFrame | undefined): unknown =>
  frame !== undefined && 'items' in frame
    ? [frame.type, ...frame.items.map(({ id, title, deleted }) => `${title ?? id}${deleted ? ' (deleted)' : ''}`)]
    : frame;

test('[SV70] the list comes as a first page and then as what changes, by server-sent events, and goes on behind the last id', async (t) => {
  const { requests } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const response = await requests.fetch('/api/v1/list/events?limit=5');
  assert.equal(response.headers.get('content-type'), 'text/event-stream');
  const events = readRawEvents(response);
  const next = async (): Promise<{ id?: string; frame: unknown }> => {
    const { value } = await events.next();
    return { ...value, frame: shown(parseListFrame(value?.data)) };
  };
  assert.deepEqual((await next()).frame, ['list', root]);
  await requests.call('root.mark', { root, title: 'Named' });
  const named = await next();
  assert.deepEqual(named.frame, ['list-changed', 'Named']);
  await requests.call('root.remove', { root });
  assert.deepEqual((await next()).frame, ['list-changed', 'Named (deleted)']);
  await events.return();
  const resumed = readRawEvents(
    await requests.fetch('/api/v1/list/events', { headers: { 'last-event-id': named.id ?? '' } }),
  );
  assert.deepEqual(shown(parseListFrame((await resumed.next()).value?.data)), ['list-changed', 'Named (deleted)']);
  await resumed.return();
  const nonsense = readRawEvents(await requests.fetch('/api/v1/list/events?limit=many&after=x&join='));
  assert.deepEqual(shown(parseListFrame((await nonsense.next()).value?.data)), ['list']);
  await nonsense.return();
});

/** The frames that a socket gets, one after the other. */
async function* framesOf(socket: WebSocket): AsyncGenerator<ListFrame | undefined, void, void> {
  const arrived: RawData[] = [];
  let wake = (): void => {};
  socket.on('message', (data: RawData) => {
    arrived.push(data);
    wake();
  });
  for (;;) {
    for (const data of arrived.splice(0)) yield* messageOf(data);
    if (arrived.length === 0) await new Promise<void>((resolve) => (wake = resolve));
  }
}

function messageOf(data: RawData): (ListFrame | undefined)[] {
  return z
    .array(z.unknown())
    .parse(readJson(bytesOf(data)))
    .map(parseListFrame);
}

test('[SV70] the same by WebSocket, whose first frame names the list; an agent sees what its token allows', async (t) => {
  const { requests, as } = await serveLoom(t);
  const { root: mine } = await requests.call('root.create', {});
  const eve = await as({ agent: 'eve', type: 'person', role: 'reader', roots: [mine] });
  const { root: theirs } = await requests.call('root.create', {});
  const socket = await eve.connect();
  const frames = framesOf(socket);
  socket.send(encodeListFrame({ type: 'join-list', id: 'x', protocol }));
  assert.deepEqual(shown((await frames.next()).value ?? undefined), ['list', mine]);
  await requests.call('root.mark', { root: theirs, title: 'Theirs' });
  const other = await requests.connect();
  const all = framesOf(other);
  other.send(encodeListFrame({ type: 'join-list', id: 'y', protocol, limit: 1 }));
  const page = (await all.next()).value ?? undefined;
  assert.equal(page?.type === 'list' && page.items.length, 1);
  await requests.call('root.mark', { root: mine, title: 'Mine' });
  assert.deepEqual(shown((await frames.next()).value ?? undefined), ['list-changed', 'Mine']);
  const closed = closing(socket);
  socket.send('{"type":"join","id":"z","root":"x"}');
  assert.match((await closed).reason, /not a valid frame/u);
});
