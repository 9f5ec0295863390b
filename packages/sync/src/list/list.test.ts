import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HomeNews, JobFacts, ListedRoot, Outcome } from '@loom/kernel';
import type { EncodedFrame } from '../room/encoded-frame.ts';
import type { Connection } from '../room/waiting-frames.ts';
import { protocol } from '../frames.ts';
import { FrameError } from '../frame-error.ts';
import { parseListFrame, parseListJoin } from './list-frames.ts';
import { ListReplica } from './list-replica.ts';
import { ListRoom } from './list-room.ts';
import type { ListMember, ListRoomOptions, ListVisitor } from './list-room.ts';

function item(id: string, minute: number, more: Partial<ListedRoot> = {}): ListedRoot {
  const time = new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString();
  const nothing = { tags: [], config: {}, nodes: 0, branches: 0, leaves: [], bookmarks: [], running: [], needs: [] };
  const usage = { input_tokens: 0, output_tokens: 0 };
  return { id, opening: id, ...nothing, usage, deleted: false, created: time, updated: time, ...more };
}

/** A list that tests write to. */
class TestList {
  readonly #items = new Map<string, ListedRoot>();
  #listener: ((items: ListedRoot[]) => void) | undefined;
  reads = 0;

  subscribe(listener: (items: ListedRoot[]) => void): () => void {
    this.#listener = listener;
    return () => (this.#listener = undefined);
  }

  put(...items: ListedRoot[]): void {
    for (const each of items) this.#items.set(each.id, each);
    this.#listener?.(items);
  }

  get sorted(): ListedRoot[] {
    return [...this.#items.values()]
      .filter(({ deleted }) => !deleted)
      .sort((one, other) => (one.updated > other.updated ? -1 : 1));
  }

  page(limit: number, after = 0): { items: ListedRoot[]; next?: string } {
    this.reads += 1;
    const items = this.sorted.slice(after, after + limit);
    return after + limit < this.sorted.length ? { items, next: String(after + limit) } : { items };
  }
}

/** A connection that holds frames until it is let through. */
class TestClient implements Connection {
  readonly replica: ListReplica;
  readonly member: ListMember;
  readonly sent: string[] = [];
  isStuck = false;
  closed: string | undefined;

  constructor(room: ListRoom, visitor: ListVisitor, replica?: ListReplica) {
    let last = 0;
    this.replica = replica ?? new ListReplica({ ids: { next: () => `join-${(last += 1)}` }, limit: 2 });
    this.member = room.enter(this, visitor);
  }

  async join(): Promise<this> {
    this.replica.connect((text) => void this.member.receive(JSON.parse(text)));
    return this.rest();
  }

  async rest(): Promise<this> {
    await new Promise((resolve) => setImmediate(resolve));
    return this;
  }

  send({ text }: EncodedFrame): boolean {
    this.sent.push(text);
    if (!this.isStuck) this.replica.receive(JSON.parse(text));
    return !this.isStuck;
  }

  close(reason: string): void {
    this.closed = reason;
  }

  get titles(): string[] {
    return this.replica.getSnapshot().items.map(({ id, title }) => title ?? id);
  }
}

function world(options: Partial<ListRoomOptions> = {}) {
  const list = new TestList();
  const room = new ListRoom({ list, epoch: 'one', ...options });
  const visitor: ListVisitor = { agent: 'ada', read: async ({ limit }) => ({ ok: true, value: list.page(limit) }) };
  return { list, room, visitor };
}

test('[SY31] a client gets a first page, then every conversation that changes, and deleted and archived ones leave', async () => {
  const { list, room, visitor } = world();
  list.put(item('a', 1), item('b', 2), item('c', 3));
  const client = await new TestClient(room, visitor).join();
  assert.deepEqual(client.titles, ['c', 'b']);
  assert.equal(client.replica.getSnapshot().next, '2');
  list.put(item('b', 4, { title: 'B' }), item('d', 5));
  assert.deepEqual(client.titles, ['d', 'B', 'c']);
  list.put(item('d', 6, { deleted: true }));
  assert.deepEqual(client.titles, ['B', 'c']);
  list.put(item('c', 7, { archived: true }));
  assert.deepEqual(client.titles, ['B']);
  list.put(item('c', 8));
  assert.deepEqual(client.titles, ['c', 'B']);
  assert.equal(list.reads, 1, 'nothing is asked for again');
});

test('[SY31] what changes while the first page is read is told behind it', async () => {
  const { list, room } = world();
  list.put(item('a', 1));
  const { promise, resolve } = Promise.withResolvers<Outcome<{ items: ListedRoot[] }>>();
  const client = new TestClient(room, { agent: 'ada', read: () => promise });
  await client.join();
  const old = list.page(10);
  list.put(item('a', 2, { title: 'newer' }));
  resolve({ ok: true, value: old });
  await client.rest();
  assert.deepEqual(client.titles, ['newer']);
});

test('[SY32] a client that comes back gets what it has missed; if that is not kept, or it was in another room, a first page', async () => {
  const { list, room, visitor } = world({ kept: 2 });
  list.put(item('a', 1), item('b', 2));
  const client = await new TestClient(room, visitor).join();
  client.member.leave();
  client.replica.disconnect();
  assert.equal(client.replica.getSnapshot().status, 'joining');
  list.put(item('a', 3, { title: 'A' }));
  const again = await new TestClient(room, visitor, client.replica).join();
  assert.deepEqual(again.titles, ['A', 'b']);
  assert.match(again.sent[0] ?? '', /"list-changed","id":"join-2"/u);
  assert.equal(list.reads, 1);
  again.member.leave();
  list.put(item('b', 4), item('c', 5), item('d', 6));
  const third = await new TestClient(room, visitor, client.replica).join();
  assert.deepEqual(third.titles, ['d', 'c']);
  assert.equal(list.reads, 2);
  const other = new ListRoom({ list, epoch: 'two' });
  const fourth = await new TestClient(other, visitor, client.replica).join();
  assert.deepEqual(fourth.titles, ['d', 'c']);
  assert.equal(list.reads, 3);
});

test('[SY33] what waits for a client that does not read is bounded; then it begins anew, and others notice nothing', async () => {
  const { list, room, visitor } = world({ limit: 5000 });
  const stuck = await new TestClient(room, visitor).join();
  const reading = await new TestClient(room, visitor).join();
  stuck.isStuck = true;
  for (let minute = 1; minute <= 100; minute += 1) list.put(item('a', minute, { title: `at ${minute}` }));
  assert.deepEqual(reading.titles, ['at 100']);
  stuck.isStuck = false;
  const before = stuck.sent.length;
  stuck.member.drained();
  await stuck.rest();
  assert.deepEqual(
    stuck.sent.slice(before).map((text) => parseListFrame(JSON.parse(text))?.type),
    ['resync', 'list'],
  );
  assert.deepEqual(stuck.titles, ['at 100']);
});

test('[SY34] a client that may see some conversations hears of no others', async () => {
  const { list, room } = world();
  const all = () => list.page(10).items.filter(({ id }) => id === 'mine');
  const client = new TestClient(room, {
    agent: 'ada',
    roots: ['mine'],
    read: async () => ({ ok: true, value: { items: all() } }),
  });
  await client.join();
  list.put(item('mine', 1), item('theirs', 2));
  list.put(item('theirs', 3));
  assert.deepEqual(client.titles, ['mine']);
  assert.doesNotMatch(client.sent.join(), /theirs/u);
});

test('[SY35] conversations that did not change are the same objects, and so is a list in which none did', async () => {
  const { list, room, visitor } = world();
  list.put(item('a', 1), item('b', 2));
  const client = await new TestClient(room, visitor).join();
  const before = client.replica.getSnapshot();
  let calls = 0;
  const stop = client.replica.subscribe(() => (calls += 1));
  list.put(item('b', 2));
  assert.equal(client.replica.getSnapshot(), before);
  list.put(item('a', 3));
  const after = client.replica.getSnapshot();
  assert.equal(after.items[1], before.items[0]);
  assert.notEqual(after.items[0], before.items[1]);
  assert.equal(calls, 1);
  stop();
  client.member.leave();
  client.replica.disconnect();
  const elsewhere = new ListRoom({ list, epoch: 'two' });
  await new TestClient(elsewhere, visitor, client.replica).join();
  assert.equal(client.replica.getSnapshot().items, after.items);
  assert.equal(calls, 1);
});

test('[SY36] further pages join what is known; what was told meanwhile is newer than the page', async () => {
  const { list, room, visitor } = world();
  list.put(item('a', 1), item('b', 2), item('c', 3), item('d', 4));
  const client = await new TestClient(room, visitor).join();
  assert.deepEqual(client.titles, ['d', 'c']);
  await client.replica.extend(async (after) => {
    const page = list.page(1, Number(after));
    list.put(item('b', 5, { title: 'B' }));
    return page;
  });
  assert.deepEqual(client.titles, ['B', 'd', 'c']);
  await client.replica.extend(async (after) => list.page(1, Number(after)));
  assert.deepEqual(client.titles, ['B', 'd', 'c', 'a']);
  assert.equal(client.replica.getSnapshot().next, undefined);
  await client.replica.extend(() => assert.fail('there is no further page'));
  await assert.rejects(async () => {
    const first = await new TestClient(room, visitor).join();
    await first.replica.extend(() => Promise.reject(new Error('away')));
  }, /away/u);
});

test('[SY39] a replica without the conversations of agents that were sent out keeps them apart when they change', async () => {
  const { list, room } = world();
  const asked: unknown[] = [];
  const read: ListVisitor['read'] = async (page) => {
    asked.push(page);
    return { ok: true, value: list.page(page.limit) };
  };
  list.put(item('a', 1));
  const replica = new ListReplica({ ids: { next: () => 'join' }, children: false });
  const client = await new TestClient(room, { agent: 'ada', read }, replica).join();
  assert.deepEqual(asked, [{ limit: 100, children: false }]);
  const told = (): string[][] => {
    const { items, children } = replica.getSnapshot();
    return [items.map(({ id }) => id), children.map(({ id }) => id)];
  };
  list.put(item('b', 2));
  assert.deepEqual(told(), [['b', 'a'], []]);
  const sent = { sender: 'a/node-1' };
  list.put(item('b', 3, sent));
  assert.deepEqual(told(), [['a'], ['b']], 'that of another program is known as one when its call is');
  list.put(item('b', 4, { ...sent, deleted: true }));
  assert.deepEqual([told(), client.closed], [[['a'], []], undefined]);
});

test('[SY37] frames are read strictly from clients, and from servers as far as the list relies on them', async () => {
  const join = { type: 'join-list', id: 'x', protocol };
  assert.deepEqual(parseListJoin(join), join);
  for (const bad of [
    { ...join, colour: 1 },
    { ...join, limit: 0 },
    { ...join, limit: 1e9 },
    { ...join, id: '' },
    null,
  ]) {
    assert.throws(() => parseListJoin(bad), FrameError);
  }
  const cursor = { epoch: 'one', seq: 1 };
  assert.throws(() => parseListFrame({ type: 'list-changed', cursor, items: [{ id: 1 }] }), FrameError);
  assert.equal(parseListFrame({ type: 'of-a-newer-server' }), undefined);
  const { room, visitor } = world();
  const client = new TestClient(room, visitor);
  await client.member.receive({ ...join, protocol: 99 });
  assert.match(client.closed ?? '', /speaks protocol/u);
  const other = new TestClient(room, visitor);
  await other.member.receive({ type: 'join', nonsense: true });
  assert.match(other.closed ?? '', /not a valid frame/u);
  assert.equal(room.size, 0);
  const refused = new TestClient(room, {
    agent: 'ada',
    read: async () => ({ ok: false, refusal: { reason: 'not-permitted', needs: 'reader' } }),
  });
  await refused.join();
  assert.equal(refused.replica.getSnapshot().refusal?.reason, 'not-permitted');
});

test('[SY38] long work is told when it changes and behind the answer to a join, to those that may know of it, and is not kept over a restart', async () => {
  const job = (id: string, root?: string): JobFacts => ({
    id,
    kind: 'data.measure',
    agent: 'ann',
    state: 'running',
    words: 'Measuring',
    started_at: '2026-01-01T00:00:00.000Z',
    ...(root === undefined ? {} : { root }),
  });
  let known: JobFacts[] = [job('all'), job('own', 'a')];
  let tell: (jobs: readonly JobFacts[]) => void = () => {};
  const jobs = {
    list: () => known,
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
  };
  const { list, room, visitor } = world({ jobs });
  list.put(item('a', 1), item('b', 2));
  const client = await new TestClient(room, visitor).join();
  const limited = await new TestClient(room, { ...visitor, roots: ['a'] }).join();
  const seen = ({ replica }: TestClient): string[] => replica.getSnapshot().jobs.map(({ id }) => id);
  assert.deepEqual([seen(client), seen(limited)], [['all', 'own'], ['own']]);
  const before = client.replica.getSnapshot().items;
  known = [job('own', 'a'), job('other', 'b')];
  tell(known);
  assert.deepEqual([seen(client), seen(limited)], [['own', 'other'], ['own']]);
  assert.equal(client.replica.getSnapshot().items, before);
  client.replica.disconnect();
  known = [];
  const again = await new TestClient(world().room, visitor, client.replica).join();
  assert.deepEqual(seen(again), []);
});

test('[SY180] a home that changes is told to those who may read it, and a client that joins again looks for what it missed', async () => {
  let tell: (news: HomeNews) => void = () => {};
  const homes = {
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
  };
  const { list, room, visitor } = world({ homes });
  list.put(item('a', 1));
  const visitors: ListVisitor[] = [visitor, { ...visitor, agent: 'bob' }, { ...visitor, roots: ['a'] }];
  const clients = await Promise.all(visitors.map((each) => new TestClient(room, each).join()));
  const heard = clients.map(({ replica }) => {
    const news: HomeNews[] = [];
    replica.subscribeToHomes((each) => void news.push(each));
    return news;
  });
  const own: HomeNews = { home: { person: 'ada' }, keys: ['pins/a'] };
  const shared: HomeNews = { home: { project: 'p' } };
  for (const news of [own, shared, {}]) tell(news);
  assert.deepEqual(heard, [
    [own, shared, {}],
    [shared, {}],
    [own, {}],
  ]);
  assert.doesNotMatch(clients[1]?.sent.join() ?? '', /ada|pins/u);
  const [first] = clients;
  first?.member.leave();
  first?.replica.disconnect();
  tell(own);
  assert.equal(heard[0]?.length, 3);
  await new TestClient(room, visitor, first?.replica).join();
  assert.deepEqual(heard[0]?.slice(3), [{}]);
});
