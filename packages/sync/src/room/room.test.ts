import assert from 'node:assert/strict';
import { test } from 'node:test';
import { withFaults } from '@loom/stores/memory';
import * as fc from 'fast-check';
import { EncodedFrame, encodeFrame, FrameError, parseClientFrame, parseServerFrame, protocol, Room } from '../index.ts';
import type { ClientFrame, Member, Scope, ServerFrame, Visitor } from '../index.ts';
import { FrameRing } from './frame-ring.ts';
import { createPair, deliverAll, joinRoom } from '../testing/delivery.ts';
import { settle, SyncWorld } from '../testing/sync-world.ts';

const writer: Visitor = { agent: 'ann', mayWrite: true };

/** A client that only sends and receives. `isSlow`: it never takes more than it was sent first. */
class Listener {
  readonly heard: ServerFrame[] = [];
  readonly member: Member;
  reason: string | undefined;
  isSlow = false;

  constructor(room: Room, visitor = writer) {
    const send = ({ text }: EncodedFrame): boolean => {
      this.heard.push(parseServerFrame(JSON.parse(text)));
      return !this.isSlow;
    };
    this.member = room.enter({ send, close: (reason) => void (this.reason = reason) }, visitor);
  }

  say(frame: ClientFrame): Promise<void> {
    return this.member.receive(JSON.parse(encodeFrame(frame)));
  }

  join(root: string, id = 'j1', more: { scope?: Scope; cursor?: { epoch: string; seq: number } } = {}): Promise<void> {
    return this.say({ type: 'join', id, protocol, root, scope: 'whole', ...more });
  }

  /** Returns the types of the frames heard since the last time, with the seqs of changes. */
  take(): string[] {
    return this.heard.splice(0).map((frame) => (frame.type === 'change' ? `change ${frame.seq}` : frame.type));
  }
}

const anyJson = fc.jsonValue();

test('[SY1] what is not a valid frame of a client is refused', async () => {
  const frame = { type: 'open', id: 'a', block: 'b' };
  assert.deepEqual(parseClientFrame(frame), frame);
  const wrong = [
    { ...frame, more: 1 },
    { type: 'open', id: 'a' },
    { ...frame, id: '' },
    { ...frame, id: 'x'.repeat(300) },
    { type: 'update', block: 'b', client: -1, seed: 1, edits: [{ id: 'a', burst: 1, update: '' }] },
    { type: 'update', block: 'b', client: 2, seed: 1, edits: [] },
    { type: 'update', block: 'b', client: 2.5, seed: 1, edits: [{ id: 'a', burst: 1, update: '' }] },
    { type: 'cursor', block: 'b', anchor: 0, head: Number.NaN },
    { type: 'join', id: 'a', protocol, root: 'r', scope: { path: 'a', subtree: 'b' } },
    { type: 'change' },
  ];
  for (const value of wrong) assert.throws(() => parseClientFrame(value), FrameError);
  assert.throws(() => parseClientFrame({ ...frame, id: 7 }), /valid frame of the feed: id must be .*string/u);
  fc.assert(fc.property(anyJson, (value) => assert.throws(() => parseClientFrame(value), { code: 'bad-frame' })));
  fc.assert(fc.property(anyJson, (value) => assert.throws(() => parseServerFrame(value), { code: 'bad-frame' })));
  const world = new SyncWorld();
  await world.begin('one');
  const listener = new Listener(world.room);
  await listener.member.receive({ ...frame, more: 1 });
  assert.match(listener.reason ?? '', /not a valid frame/u);
  assert.ok(world.room.isEmpty);
});

test('[SY2] a client that joins gets what can be seen and where that is in the log, then every change after it once', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const splice = (insert: string): Promise<unknown> =>
    world.tools.splice(world.request(), { block_id: block, offset: 0, delete_count: 0, insert });
  const listener = new Listener(world.room);
  await splice('a');
  assert.deepEqual(listener.take(), []);
  // Others go on while the snapshot is made.
  const before = splice('b');
  const joined = listener.join(world.root);
  const after = [splice('c'), splice('d')];
  await Promise.all([before, joined, ...after]);
  const welcome = listener.heard[0];
  assert.ok(welcome?.type === 'welcome');
  const { seq } = welcome.cursor;
  assert.deepEqual(
    listener.take().slice(1),
    [seq + 1, seq + 2, seq + 3].slice(0, 6 - seq).map((next) => `change ${next}`),
  );
  assert.equal(welcome.agent, 'ann');
  assert.deepEqual(
    welcome.snapshot?.nodes.map(({ id }) => id),
    (await world.visibleNodes()).map(({ id }) => id),
  );
});

test('[SY3] a client that joins with a cursor gets the changes since; with one that is not valid any more, a snapshot', async () => {
  const world = new SyncWorld(5000);
  const block = await world.begin('one');
  const { epoch, seq } = await world.engine.forest.log(world.root).cursor();
  await world.tools.splice(world.request(), { block_id: block, offset: 0, delete_count: 0, insert: 'x' });
  const welcomeFor = async (cursor: {
    epoch: string;
    seq: number;
  }): Promise<{ changes?: number[]; isSnapshot: boolean }> => {
    const listener = new Listener(world.room);
    await listener.join(world.root, 'j', { cursor });
    const [welcome] = listener.heard;
    assert.ok(welcome?.type === 'welcome');
    if (welcome.snapshot !== undefined) return { isSnapshot: true };
    return {
      changes: listener.heard.flatMap((frame) => (frame.type === 'change' ? [frame.seq] : [])),
      isSnapshot: false,
    };
  };
  assert.deepEqual(await welcomeFor({ epoch, seq }), { changes: [seq + 1], isSnapshot: false });
  assert.deepEqual(await welcomeFor({ epoch, seq: seq + 1 }), { changes: [], isSnapshot: false });
  assert.deepEqual(await welcomeFor({ epoch, seq: seq + 2 }), { isSnapshot: true });
  assert.deepEqual(await welcomeFor({ epoch: 'another', seq }), { isSnapshot: true });
  // More was missed than may wait.
  await world.tools.splice(world.request(), { block_id: block, offset: 0, delete_count: 0, insert: 'y'.repeat(6000) });
  assert.deepEqual(await welcomeFor({ epoch, seq }), { isSnapshot: true });
});

test('[SY30] what clients have missed is read from the log once, and from then on from what was sent: the same bytes for all', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const log = world.engine.forest.log(world.root);
  const { epoch, seq } = await log.cursor();
  const splice = (insert: string): Promise<unknown> =>
    world.tools.splice(world.request(), { block_id: block, offset: 0, delete_count: 0, insert });
  for (const insert of ['a', 'b', 'c']) await splice(insert);
  let reads = 0;
  const replay = log.past.replay.bind(log.past);
  log.past.replay = (cursor) => {
    reads += 1;
    return replay(cursor);
  };
  const frames: EncodedFrame[][] = [];
  const comeBack = async (from: number): Promise<void> => {
    const got: EncodedFrame[] = [];
    frames.push(got);
    const member = world.room.enter({ send: (frame) => got.push(frame) > 0, close: () => {} }, writer);
    await member.receive({
      type: 'join',
      id: 'j',
      protocol,
      root: world.root,
      scope: 'whole',
      cursor: { epoch, seq: from },
    });
  };
  // Many at once, as after a restart.
  await Promise.all([seq, seq, seq, seq + 1].map(comeBack));
  assert.equal(reads, 1);
  await splice('d');
  await comeBack(seq + 2);
  assert.equal(reads, 1);
  const seqs = frames.map((got) => got.slice(1).map(({ text }) => Number(/"seq":(\d+)/u.exec(text)?.[1]) - seq));
  assert.deepEqual(seqs, [
    [1, 2, 3, 4],
    [1, 2, 3, 4],
    [1, 2, 3, 4],
    [2, 3, 4],
    [3, 4],
  ]);
  const last = new Set(frames.map((got) => got.at(-1)));
  assert.equal(last.size, 1, 'all were sent one and the same frame');
});

test('[SY30] the ring is bounded and without gaps; what it does not hold it does not offer', () => {
  const ring = new FrameRing(100);
  const frameOf = (agent: string): EncodedFrame => new EncodedFrame({ type: 'gone', agent });
  const [epoch, frame] = ['e', frameOf('a')];
  assert.equal(frame.size, 27);
  ring.settle({ epoch, seq: 5 });
  assert.deepEqual(ring.since({ epoch, seq: 5 }), []);
  assert.equal(ring.since({ epoch, seq: 6 }), undefined);
  ring.push({ epoch, seq: 6 }, frame);
  ring.prepend(
    epoch,
    [3, 4, 5, 6].map((seq) => ({ seq, frame: frameOf(String(seq)) })),
  );
  assert.equal(ring.since({ epoch, seq: 2 }), undefined, 'there was no room for the oldest');
  assert.equal(ring.isFull, true);
  assert.deepEqual(
    ring.since({ epoch, seq: 3 })?.map(({ text }) => text.slice(-3, -2)),
    ['4', '5', 'a'],
  );
  for (let seq = 7; seq < 20; seq += 1) ring.push({ epoch, seq }, frameOf('b'));
  assert.deepEqual(
    [15, 16, 18, 19].map((seq) => ring.since({ epoch, seq })?.length),
    [undefined, 3, 1, 0],
  );
  assert.equal(ring.since({ epoch: 'f', seq: 18 }), undefined);
  ring.push({ epoch, seq: 25 }, frame);
  assert.deepEqual(
    [19, 23, 24].map((seq) => ring.since({ epoch, seq })?.length),
    [undefined, undefined, 1],
  );
  ring.prepend(epoch, [{ seq: 22, frame }]);
  assert.equal(ring.since({ epoch, seq: 21 }), undefined, 'what leaves a gap is not taken');
  ring.settle({ epoch: 'f', seq: 25 });
  assert.deepEqual([ring.since({ epoch, seq: 25 }), ring.since({ epoch: 'f', seq: 25 })], [undefined, []]);
});

test('[SY4] a scope is everything, the path to a node with all below it, or a node with all below it', async () => {
  const world = new SyncWorld();
  await world.begin('1');
  const node = (number: number): string => `${world.root}/node-${number}`;
  await world.say('2', node(1));
  await world.say('3', node(2));
  await world.say('4', node(1));
  await world.say('5', node(2));
  await world.engine.forest.remove(world.request(), world.root, { node: node(5), children: 'remove' });
  const seen = async (scope: Scope): Promise<string[]> => {
    const listener = new Listener(world.room);
    await listener.join(world.root, 'j', { scope });
    const [welcome] = listener.heard;
    return welcome?.type === 'welcome' ? (welcome.snapshot?.nodes ?? []).map(({ id }) => id.slice(-1)) : [];
  };
  assert.deepEqual(await seen('whole'), ['1', '2', '3', '4']);
  assert.deepEqual(await seen({ path: node(2) }), ['1', '2', '3']);
  assert.deepEqual(await seen({ path: node(4) }), ['1', '4']);
  assert.deepEqual(await seen({ subtree: node(2) }), ['2', '3']);
  assert.deepEqual(await seen({ subtree: node(5) }), []);
  assert.deepEqual(await seen({ path: node(9) }), []);
});

test('[SY5] a join to a conversation that is not here is refused, and a client with another protocol is disconnected', async () => {
  const world = new SyncWorld();
  await world.begin('one');
  const lost = new Listener(world.room);
  await lost.join('root-elsewhere');
  assert.deepEqual(lost.take(), ['refused']);
  const { root, forest } = { root: 'root-none', forest: world.engine.forest };
  const empty = new Listener(new Room({ root, forest, tools: world.tools, clock: world.clock }));
  await empty.join(root);
  assert.deepEqual(empty.take(), ['refused']);
  const old = new Listener(world.room);
  await old.say({ type: 'join', id: 'j', protocol: 99, root: world.root, scope: 'whole' });
  assert.match(old.reason ?? '', /protocol 1, not 99/u);
  const replica = world.replica('ann', { root: 'root-elsewhere' });
  const pair = createPair(world, 'ann', { root: 'root-elsewhere' });
  pair.connect(world.room);
  await deliverAll(pair);
  assert.equal(pair.replica.status, 'refused');
  assert.equal(pair.replica.refusal?.reason, 'root-not-found');
  assert.equal(replica.status, 'offline');
});

test('[SY6] a client that reads too slowly loses what waited, is told once to join again, and delays no other client', async () => {
  const world = new SyncWorld(3000);
  const block = await world.begin('one');
  const [slow, quick] = [new Listener(world.room), new Listener(world.room, { agent: 'bob', mayWrite: true })];
  await slow.join(world.root);
  await quick.join(world.root);
  slow.isSlow = true;
  for (let count = 0; count < 30; count += 1) {
    await world.tools.splice(world.request(), { block_id: block, offset: 0, delete_count: 0, insert: 'x'.repeat(50) });
  }
  assert.equal(quick.take().length, 31);
  // One change was taken before the reader had enough; what waited then was too much.
  assert.deepEqual(slow.take(), ['welcome', 'change 3']);
  slow.isSlow = false;
  slow.member.drained();
  assert.deepEqual(slow.take(), ['resync']);
  await world.tools.splice(world.request(), { block_id: block, offset: 0, delete_count: 0, insert: 'y' });
  assert.deepEqual(slow.take(), []);
  await slow.join(world.root, 'j2');
  await world.tools.splice(world.request(), { block_id: block, offset: 0, delete_count: 0, insert: 'z' });
  assert.deepEqual(slow.take(), ['welcome', 'change 34']);
});

test('[SY6] what waits is bounded also when a client joins again and again without reading', async () => {
  const world = new SyncWorld(3000);
  await world.begin('x'.repeat(2000));
  const slow = new Listener(world.room);
  slow.isSlow = true;
  for (let count = 0; count < 20; count += 1) await slow.join(world.root, `j${count}`);
  assert.deepEqual(slow.take(), ['welcome']);
  slow.member.drained();
  assert.deepEqual(slow.take(), ['welcome']);
  slow.member.drained();
  assert.deepEqual(slow.take(), []);
  for (let count = 0; count < 1000; count += 1) await slow.join(world.root, `more ${count}`);
  assert.match(slow.reason ?? '', /too many joins/u);
});

test('[SY6] of 200 clients ten do not read: each of them costs 4 MB at most, then it is told to join again; the others miss nothing', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const stuck = Array.from(
    { length: 10 },
    (_, index) => new Listener(world.room, { agent: `stuck ${index}`, mayWrite: false }),
  );
  const reading = Array.from({ length: 190 }, (_, index) => {
    const types: string[] = [];
    const visitor = { agent: `reader ${index}`, mayWrite: false };
    const member = world.room.enter({ send: ({ type }) => types.push(type) > 0, close: () => assert.fail() }, visitor);
    return { types, member };
  });
  const join = { type: 'join', id: 'j', protocol, root: world.root, scope: 'whole' };
  for (const { member } of [...stuck, ...reading]) await member.receive(join);
  for (const listener of stuck) {
    listener.take();
    listener.isSlow = true;
  }
  let most = 0;
  for (let count = 0; count < 60; count += 1) {
    const insert = 'x'.repeat(100_000);
    await world.tools.splice(world.request(), { block_id: block, offset: 0, delete_count: 0, insert });
    most = Math.max(most, ...stuck.map(({ member }) => member.waiting));
  }
  for (const { types } of reading) assert.equal(types.filter((type) => type === 'change').length, 60);
  assert.ok(most > 3_000_000 && most <= 4_000_000, `${most} waited for one`);
  for (const listener of stuck) {
    assert.equal(listener.member.waiting, 0, 'what waited is gone');
    assert.deepEqual(listener.take(), ['change 3']);
    listener.isSlow = false;
    listener.member.drained();
    assert.deepEqual(listener.take(), ['resync']);
  }
});

test('[SY56] cursors of an agent are passed on every 50 ms at most, the last one wins; one that reads slowly misses some', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one two three');
  const [ann, bob] = [new Listener(world.room), new Listener(world.room, { agent: 'bob', mayWrite: true })];
  await ann.join(world.root);
  await bob.join(world.root);
  const anchors = (listener: Listener): number[] =>
    listener.heard.splice(0).flatMap((frame) => (frame.type === 'cursor' ? [frame.cursor.anchor] : []));
  bob.take();
  for (let anchor = 0; anchor < 10; anchor += 1) await ann.say({ type: 'cursor', block, anchor, head: anchor });
  assert.deepEqual(anchors(bob), [0]);
  world.clock.advance(49);
  assert.deepEqual(anchors(bob), []);
  world.clock.advance(1);
  assert.deepEqual(anchors(bob), [9]);
  world.clock.advance(50);
  assert.deepEqual(anchors(bob), []);
  bob.isSlow = true;
  for (let anchor = 0; anchor < 3; anchor += 1) {
    await ann.say({ type: 'cursor', block, anchor, head: anchor });
    world.clock.advance(50);
  }
  assert.deepEqual(anchors(bob), [0], 'the first one was enough for it');
  assert.equal(bob.member.waiting, 0);
});

test('[SY56] who is here is known to all: by the answer to a join, and as agents come and go', async () => {
  const world = new SyncWorld();
  await world.begin('one');
  const [ann, bob] = [await joinRoom(world, 'ann'), await joinRoom(world, 'bob')];
  const second = await joinRoom(world, 'bob');
  await deliverAll(ann, bob, second);
  for (const { replica } of [ann, bob, second]) assert.deepEqual([...replica.here].sort(), ['ann', 'bob']);
  second.cut();
  await deliverAll(ann, bob);
  assert.deepEqual([...ann.replica.here], ['ann', 'bob']);
  bob.cut();
  await deliverAll(ann);
  assert.deepEqual([...ann.replica.here], ['ann']);
  assert.deepEqual(ann.replica.watch.whole.getSnapshot().here, ['ann']);
  assert.equal(bob.replica.here.size, 0);
});

test('[SY7] a frame that comes twice does nothing twice and gets the same answer', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const pair = await joinRoom(world, 'ann', block);
  pair.replica.edit(block, [{ at: 3, delete: 0, insert: ' two' }]);
  const listener = new Listener(world.room);
  await listener.join(world.root);
  await listener.join(world.root);
  assert.deepEqual(listener.take(), ['welcome']);
  await listener.say({ type: 'open', id: 'o', block });
  await listener.say({ type: 'open', id: 'o', block });
  const clients = listener.heard.flatMap((frame) => (frame.type === 'opened' ? [frame.client] : []));
  assert.equal(clients.length, 2);
  assert.equal(clients[0], clients[1]);
  for (let times = 0; times < 40; times += 1) pair.deliver();
  await deliverAll(pair);
  assert.equal(await world.textOf(block), 'one two');
});

test('[SY8] a client that may only read changes nothing, and no client reaches the blocks of another conversation', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const reader = new Listener(world.room, { agent: 'eve', mayWrite: false });
  await reader.join(world.root);
  await reader.say({ type: 'open', id: 'o', block });
  await reader.say({ type: 'update', block, client: 2, seed: 1, edits: [{ id: 'e', burst: 1, update: 'AAA=' }] });
  await reader.say({ type: 'cursor', block, anchor: 0, head: 0 });
  assert.deepEqual(reader.take(), ['welcome', 'refused', 'refused']);
  const { root } = world;
  const other = await new SyncWorld().begin('two');
  assert.ok(other.startsWith(root));
  const second = await world.engine.forest.createRoot(world.request());
  assert.ok(second.ok);
  const listener = new Listener(
    new Room({ root: second.value.root, forest: world.engine.forest, tools: world.tools, clock: world.clock }),
  );
  await listener.join(second.value.root);
  await listener.say({ type: 'open', id: 'o', block });
  await listener.say({ type: 'cursor', block, anchor: 0, head: 0 });
  assert.deepEqual(listener.take(), ['welcome', 'refused']);
});

test('[SY9] an update under the id of another agent, of another text or not in base64 is refused, and what follows it is not tried', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const [ann, eve] = [new Listener(world.room), new Listener(world.room, { agent: 'eve', mayWrite: true })];
  await ann.join(world.root);
  await eve.join(world.root);
  await ann.say({ type: 'open', id: 'o', block });
  const opened = ann.heard.find((frame) => frame.type === 'opened');
  assert.ok(opened?.type === 'opened');
  eve.take();
  const edit = { burst: 1, update: 'AAA=' };
  const { client, version } = opened;
  await eve.say({
    type: 'update',
    block,
    client,
    seed: version,
    edits: [
      { id: '1', ...edit },
      { id: '2', ...edit },
    ],
  });
  await eve.say({ type: 'update', block, client, seed: version, edits: [{ id: '3', ...edit, update: '%' }] });
  const reasons = eve.heard.map((frame) => (frame.type === 'refused' ? [frame.id, frame.refusal.reason] : []));
  assert.deepEqual(reasons, [
    ['1', 'unknown-client'],
    ['3', 'invalid-params'],
  ]);
});

test('[SY10] when the store fails a client is disconnected, and finds out by repeating its requests what has been written', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const errors: unknown[] = [];
  let isFailing = false;
  await world.restart((store) => withFaults(store, () => (isFailing ? 'fail-after' : undefined)));
  const room = new Room({
    root: world.root,
    forest: world.engine.forest,
    tools: world.tools,
    clock: world.clock,
    onFailure: (error) => void errors.push(error),
  });
  const pair = createPair(world, 'ann');
  pair.connect(room);
  await deliverAll(pair);
  pair.replica.open(block);
  await deliverAll(pair);
  isFailing = true;
  pair.replica.edit(block, [{ at: 3, delete: 0, insert: ' two' }]);
  pair.drain();
  await settle();
  assert.equal(pair.isConnected, false);
  assert.equal(errors.length, 1);
  assert.deepEqual(pair.replica.unsaved, [block]);
  isFailing = false;
  pair.connect(room);
  await deliverAll(pair);
  assert.deepEqual(pair.replica.unsaved, []);
  assert.equal(await world.textOf(block), 'one two');
  assert.equal(pair.replica.text(block), 'one two');
});
