import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AgentStart } from '@loom/kernel';
import type { Watched } from '../index.ts';
import { createPair, deliverAll } from '../testing/delivery.ts';
import { settle, SyncWorld } from '../testing/sync-world.ts';

/** Counts how often something has become something else, and checks that it really has. */
function count<T>({ subscribe, getSnapshot }: Watched<T>): { readonly calls: number; stop: () => void } {
  let [calls, before] = [0, getSnapshot()];
  const stop = subscribe(() => {
    const now = getSnapshot();
    assert.notEqual(now, before, 'it is called only when something has changed');
    [calls, before] = [calls + 1, now];
  });
  return {
    get calls() {
      assert.equal(getSnapshot(), before, 'it is not missed that something has changed');
      return calls;
    },
    stop,
  };
}

test('[SY54] who watches a block, a node or the whole is called when that changes, and the rest stays the same objects', async () => {
  const world = new SyncWorld();
  const first = await world.begin('one');
  const second = await world.say('two', `${world.root}/node-1`);
  const pair = createPair(world, 'ann');
  const { watch } = pair.replica;
  assert.equal(watch.block(first), watch.block(first), 'a page may ask at each drawing');
  const ids = [`${world.root}/node-1`, `${world.root}/node-2`] as const;
  const blocks = [count(watch.block(first)), count(watch.block(second))] as const;
  const nodes = [count(watch.node(ids[0])), count(watch.node(ids[1]))] as const;
  const texts = [count(watch.text(first)), count(watch.text(second))] as const;
  const whole = count(watch.whole);
  const calls = (): number[] => [...blocks, ...nodes, ...texts].map((counted) => counted.calls);
  pair.connect(world.room);
  await deliverAll(pair);
  assert.deepEqual(calls(), [1, 1, 1, 1, 1, 1]);
  const before = whole.calls;
  await world.tools.splice(world.request(), { block_id: second, offset: 0, delete_count: 0, insert: 'x' });
  await deliverAll(pair);
  assert.deepEqual(calls(), [1, 2, 1, 2, 1, 2]);
  await world.engine.forest.markNode(world.request(), world.root, { node: ids[0], title: 'One' });
  await deliverAll(pair);
  assert.deepEqual(calls(), [1, 2, 2, 2, 1, 2], 'its block has not changed');
  assert.equal(whole.calls, before + 1, 'words are no affair of the whole, but titles are');
  pair.replica.open(first);
  await deliverAll(pair);
  const opened = texts[0].calls;
  pair.replica.edit(first, [{ at: 0, delete: 0, insert: 'y' }]);
  assert.equal(texts[0].calls, opened + 1, 'what is typed shows at once');
  assert.equal(blocks[0].calls, 1);
  await deliverAll(pair);
  // Another snapshot that says the same changes nothing.
  const [outline, snapshot] = [watch.whole.getSnapshot().outline, calls()];
  pair.cut();
  await world.engine.forest.remove(world.request(), world.root, { node: ids[1], children: 'remove' });
  await world.engine.forest.undo(world.request(), world.root);
  pair.connect(world.room);
  await deliverAll(pair);
  assert.deepEqual([calls()[0], calls()[2]], [snapshot[0], snapshot[2]]);
  assert.equal(watch.whole.getSnapshot().outline[0], outline[0]);
  blocks[0].stop();
  await world.tools.splice(world.request(), { block_id: first, offset: 0, delete_count: 0, insert: 'z' });
  await deliverAll(pair);
});

test('[SY55] a replica knows how turns go and how they ended, as they happen and from a snapshot', async () => {
  const world = new SyncWorld();
  await world.begin('say something');
  const pair = createPair(world, 'ann');
  pair.connect(world.room);
  await deliverAll(pair);
  const started = await world.engine.turns.generate(world.request(), world.root, {
    node: `${world.root}/node-1`,
    provider: 'prompted',
    model: 'm',
  });
  assert.ok(started.ok);
  const [turn = ''] = started.value.turns;
  await deliverAll(pair);
  const { replica } = pair;
  assert.deepEqual(
    replica.root.turns.map(({ turn: id, answer }) => [id, answer]),
    [[turn, `${world.root}/node-2`]],
  );
  world.model.say('words ');
  world.model.end();
  for (let round = 0; round < 20 && replica.root.turns.length > 0; round += 1) {
    world.clock.advance(1000);
    await settle();
    await deliverAll(pair);
  }
  const late = createPair(world, 'bob');
  late.connect(world.room);
  await deliverAll(late);
  for (const { replica: known } of [pair, late]) {
    assert.deepEqual(known.root.turns, []);
    assert.deepEqual(
      known.root.endings.map(({ turn: id, reason, provider }) => [id, reason, provider]),
      [[turn, 'done', 'prompted']],
    );
    const node = known.nodes.get(`${world.root}/node-2`);
    assert.equal(node?.source.type === 'model' && node.source.finish_reason, 'stop');
    assert.match(node?.started_at ?? '', /^2026-/u);
    assert.match(node?.ended_at ?? '', /^2026-/u);
    assert.match(node?.blocks[0]?.ended_at ?? '', /^2026-/u);
  }
  assert.deepEqual(late.replica.root, replica.root);
});

test('[SY65] drafts are known apart from messages, in the snapshot and in the feed, and are opened like any text', async () => {
  const world = new SyncWorld();
  await world.begin('one');
  const { forest } = world.engine;
  const made = await forest.createDraft(world.request(), world.root, { title: 'Plan', text: 'early' });
  assert.ok(made.ok);
  const pair = createPair(world, 'ann');
  const { replica } = pair;
  pair.connect(world.room);
  await deliverAll(pair);
  const { node, block_id: block } = made.value;
  assert.deepEqual(
    [[...replica.drafts.keys()], replica.nodes.has(node), replica.outline.has(node)],
    [[node], false, false],
  );
  const late = await forest.createDraft(world.request(), world.root, { text: 'late' });
  assert.ok(late.ok);
  await deliverAll(pair);
  assert.deepEqual(replica.watch.whole.getSnapshot().drafts, [node, late.value.node]);
  assert.equal(replica.nodes.size, 1);
  const whole = count(replica.watch.whole);
  replica.open(block);
  await deliverAll(pair);
  const before = whole.calls;
  replica.edit(block, [{ at: 0, delete: 0, insert: 'very ' }]);
  world.clock.advance(5000);
  await settle();
  await deliverAll(pair);
  assert.equal((await world.textOf(block)) ?? '', 'very early');
  assert.equal(replica.text(block), 'very early');
  assert.equal(whole.calls, before, 'words of a draft are no affair of the whole');
  assert.ok((await forest.removeDraft(world.request(), world.root, node)).ok);
  await deliverAll(pair);
  assert.deepEqual(replica.watch.whole.getSnapshot().drafts, [late.value.node]);
  assert.ok((await forest.undo(world.request(), world.root)).ok);
  await deliverAll(pair);
  assert.deepEqual(new Set(replica.drafts.keys()), new Set([node, late.value.node]));
});

test('[SY55] a replica knows that an agent began a turn, while it goes on and when it is over, from events and from a snapshot', async () => {
  const world = new SyncWorld();
  await world.begin('say something');
  const pair = createPair(world, 'ann');
  pair.connect(world.room);
  const params = { node: `${world.root}/node-1`, provider: 'prompted', model: 'm' };
  const started = await world.engine.turns.generate(world.request(), world.root, params);
  assert.ok(started.ok);
  const [turn = ''] = started.value.turns;
  await deliverAll(pair);
  world.model.end();
  await world.engine.turns.wait(turn);
  const start: AgentStart = { root: world.root, after: turn, stream: () => world.model.stream() };
  const begun = await world.model.host?.begin(start);
  assert.ok(begun?.ok);
  const joined = async () => {
    const late = createPair(world, 'bob');
    late.connect(world.room);
    await deliverAll(pair, late);
    return [pair.replica.root, late.replica.root];
  };
  for (const { turns } of await joined()) {
    assert.deepEqual(
      turns.map(({ turn: id, started_by }) => [id, started_by]),
      [[begun.value.turn, 'agent']],
    );
  }
  world.model.end();
  await world.engine.turns.wait(begun.value.turn);
  for (const { endings } of await joined()) {
    assert.deepEqual(
      endings.map(({ turn: id, started_by }) => [id, started_by]),
      [
        [turn, undefined],
        [begun.value.turn, 'agent'],
      ],
    );
  }
  const [early, late] = await joined();
  assert.deepEqual(late, early);
});
