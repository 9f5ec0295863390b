import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spliceText } from '@loom/blocks';
import { MemoryKeeper } from '../testing/memory-keeper.ts';
import { MemoryPair } from '../testing/memory-pair.ts';
import { SeededRandom } from '../testing/seeded-random.ts';
import { createPair, deliverAll, joinRoom } from '../testing/delivery.ts';
import { SyncWorld } from '../testing/sync-world.ts';

const append = (at: number, insert: string): { at: number; delete: number; insert: string }[] => [
  { at, delete: 0, insert },
];

test('[SY163] what was left is written on without a server, over several replicas, and merged as text when it is back', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const keeper = new MemoryKeeper();
  const pair = await joinRoom(world, 'ann', block, { keeper });
  pair.cut();
  pair.replica.edit(block, append(3, ' two'));
  await world.tools.splice(world.request('tool'), { block_id: block, offset: 0, delete_count: 0, insert: 'zero ' });
  const second = createPair(world, 'ann-b', { keeper });
  second.replica.restore(keeper.left);
  assert.deepEqual([second.replica.text(block), second.replica.isOpen(block)], ['one two', true]);
  assert.equal(keeper.left.length, 1, 'nothing is kept twice before it is written on');
  second.replica.open(block);
  second.replica.edit(block, append(7, ' three'));
  second.replica.edit(block, [{ at: 3, delete: 0, insert: ',' }], { isUnit: true });
  assert.equal(second.replica.text(block), 'one, two three');
  second.replica.undo(block);
  assert.equal(second.replica.text(block), 'one two three');
  second.replica.redo(block);
  assert.equal(second.replica.unsavedUnits(block), 3);
  const third = createPair(world, 'ann-c', { keeper });
  third.replica.restore(keeper.left);
  assert.equal(third.replica.text(block), 'one, two three');
  let mirror = third.replica.text(block) ?? '';
  third.replica.followText(block, ({ splices }) => (mirror = spliceText(mirror, splices)));
  third.replica.open(block);
  third.replica.edit(block, append(14, ' four'));
  // The agent that typed it is the one that may send it.
  const tab = new MemoryPair(third.replica, { agent: 'ann', mayWrite: true }, new SeededRandom(1));
  tab.connect(world.room);
  await deliverAll(tab);
  assert.equal(await world.textOf(block), 'zero one, two three four');
  assert.equal(third.replica.text(block), 'zero one, two three four');
  assert.deepEqual([third.replica.unsaved, keeper.left.length, world.lost], [[], 0, []]);
  third.replica.edit(block, append(0, '> '));
  await deliverAll(tab);
  assert.equal(await world.textOf(block), '> zero one, two three four');
  assert.equal(mirror, third.replica.text(block), 'the splices say how the text has changed');
});

test('[SY164] what was written on without a server is handed to its author where the block is gone', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const [node] = await world.visibleNodes();
  const keeper = new MemoryKeeper();
  const pair = await joinRoom(world, 'ann', block, { keeper });
  pair.cut();
  pair.replica.edit(block, append(3, ' two'));
  const left = keeper.left;
  const later = (name: string): MemoryPair => {
    const { replica } = createPair(world, name, { keeper });
    replica.restore(left);
    replica.open(block);
    replica.edit(block, append(7, ' three'));
    return new MemoryPair(replica, { agent: 'ann', mayWrite: true }, new SeededRandom(1));
  };
  await world.engine.forest.remove(world.request(), world.root, { node: node?.id ?? '', children: 'remove' });
  const gone = later('ann-b');
  gone.connect(world.room);
  await deliverAll(gone);
  assert.deepEqual(
    world.lost.map(({ base, text, refusal }) => [base, text, refusal.reason]),
    [['one', 'one two three', 'block-not-found']],
  );
  assert.equal(gone.replica.isOpen(block), false);
});
