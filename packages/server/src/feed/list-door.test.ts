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

test('[SV137] a change of a home reaches that person alone, one of a project those with a token for all conversations, by both ways', async (t) => {
  const { requests, as } = await serveLoom(t);
  const { root } = await requests.call('root.create', {});
  const people = await Promise.all([
    as({ agent: 'eve', type: 'person', role: 'writer' }),
    as({ agent: 'eve', type: 'person', role: 'reader', roots: [root] }),
    as({ agent: 'bob', type: 'person', role: 'reader' }),
  ]);
  const [eve] = people;
  const sockets = await Promise.all(people.map((person) => person.connect()));
  const feeds = sockets.map(framesOf);
  const raw = readRawEvents((await eve?.fetch('/api/v1/list/events')) ?? assert.fail());
  for (const socket of sockets) socket.send(encodeListFrame({ type: 'join-list', id: 'x', protocol }));
  for (const feed of feeds) assert.equal((await feed.next()).value?.type, 'list');
  await raw.next();
  await eve?.call('home.set', { entries: [{ key: 'pins/a', value: { note: 'private' } }] });
  await eve?.call('home.set', { project: 'p', entries: [{ key: 'settings/model', value: {} }] });
  // Everyone hears this, and with it that nothing else came before.
  await requests.call('root.mark', { root, title: 'The end' });
  const own = { type: 'home-changed', home: { person: 'eve' }, keys: ['pins/a'] };
  const shared = { type: 'home-changed', home: { project: 'p' }, keys: ['settings/model'] };
  const told: unknown[] = [];
  for (const feed of feeds) {
    const frames: unknown[] = [];
    for (;;) {
      const { value } = await feed.next();
      if (value?.type === 'list-changed') break;
      frames.push(value);
    }
    told.push(frames);
  }
  assert.deepEqual(told, [[own, shared], [own], [shared]]);
  assert.deepEqual([(await raw.next()).value?.data, (await raw.next()).value?.data], [own, shared]);
  await raw.return();
  for (const socket of sockets) socket.terminate();
});
