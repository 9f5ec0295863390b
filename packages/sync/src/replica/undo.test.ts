import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TextSplice } from '@loom/blocks';
import type { Replica, ReplicaChange } from '../index.ts';
import { createPair, deliverAll, joinRoom } from '../testing/delivery.ts';
import { MemoryKeeper } from '../testing/memory-keeper.ts';
import { MemoryPair } from '../testing/memory-pair.ts';
import { SeededRandom } from '../testing/seeded-random.ts';
import { createTexts, settle, SyncWorld } from '../testing/sync-world.ts';

const append = (at: number, insert: string): TextSplice[] => [{ at, delete: 0, insert }];

/** A pair that has a block open, and what its replica says of that block's text. */
async function openPair(
  world: SyncWorld,
  agent: string,
  block: string,
  options: { keeper?: MemoryKeeper } = {},
): Promise<{ pair: MemoryPair; replica: Replica; heard: Extract<ReplicaChange, { type: 'text' }>[] }> {
  const heard: Extract<ReplicaChange, { type: 'text' }>[] = [];
  const pair = createPair(world, agent, {
    ...options,
    onChange: (what) => void (what.type === 'text' && heard.push(what)),
  });
  pair.connect(world.room);
  await deliverAll(pair);
  pair.replica.open(block);
  await deliverAll(pair);
  return { pair, replica: pair.replica, heard };
}

test('[SY60] a replica says by which splices a text has changed, who did it, and whether that was here', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const { pair, replica, heard } = await openPair(world, 'ann', block);
  heard.length = 0;
  replica.edit(block, [{ at: 3, delete: 0, insert: ' two\0' }]);
  assert.deepEqual(heard, [
    { type: 'text', block, splices: append(3, ' two\ufffd'), by: { agent: 'ann', isHere: true } },
  ]);
  await deliverAll(pair);
  assert.deepEqual(
    heard.flatMap(({ splices }) => splices),
    append(3, ' two\ufffd'),
    'what comes back of it changes nothing',
  );
  heard.length = 0;
  await world.tools.splice(world.request('bob'), { block_id: block, offset: 0, delete_count: 3, insert: 'ONE' });
  await world.tools.splice(world.request('ann'), { block_id: block, offset: 0, delete_count: 0, insert: '> ' });
  await deliverAll(pair);
  assert.deepEqual(heard, [
    { type: 'text', block, splices: [{ at: 0, delete: 3, insert: 'ONE' }], by: { agent: 'bob', isHere: false } },
    { type: 'text', block, splices: append(0, '> '), by: { agent: 'ann', isHere: false } },
  ]);
});

test('[SY60] what a text has become while it was opened, and when it was replaced, comes as splices too', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one two three');
  const { pair, replica, heard } = await openPair(world, 'ann', block);
  pair.cut();
  replica.edit(block, append(13, ' four'));
  heard.length = 0;
  const content = { type: 'text' as const, text: 'zero one two three' };
  await world.engine.forest.editBlock(world.request(), world.root, { block, content });
  pair.connect(world.room);
  await deliverAll(pair);
  const made = heard.filter(({ splices }) => splices.length > 0);
  assert.deepEqual(made, [{ type: 'text', block, splices: append(0, 'zero '), by: { isHere: false } }]);
  assert.equal(replica.text(block), 'zero one two three four');
});

test('[SY62] with a connection the server takes back the last unit of the agent, and brings it back', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const { pair, replica, heard } = await openPair(world, 'ann', block);
  replica.edit(block, append(3, ' two'));
  world.clock.advance(1100);
  replica.edit(block, [{ at: 0, delete: 3, insert: '1' }]);
  await world.tools.splice(world.request('bob'), { block_id: block, offset: 1, delete_count: 0, insert: '!' });
  replica.undo(block);
  assert.equal(replica.text(block), '1 two', 'it takes until the answer is there');
  assert.deepEqual(replica.unsaved, [block]);
  heard.length = 0;
  await deliverAll(pair);
  assert.equal(await world.textOf(block), 'o!ne two');
  assert.equal(replica.text(block), 'o!ne two');
  assert.ok(heard.some(({ splices, by }) => splices.length > 0 && by.isHere && by.agent === 'ann'));
  replica.undo(block);
  replica.undo(block);
  await deliverAll(pair);
  assert.deepEqual([replica.text(block), replica.unsaved], ['o!ne', []], 'an undo that finds nothing is over, too');
  replica.redo(block);
  replica.redo(block);
  await deliverAll(pair);
  assert.equal(replica.text(block), '!1 two');
  assert.equal(await world.textOf(block), '!1 two');
});

test('[SY62] without a connection what was not sent is taken back at once, burst by burst, and comes back', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one two');
  const { pair, replica } = await openPair(world, 'ann', block);
  pair.cut();
  replica.edit(block, append(7, ' three'));
  replica.edit(block, append(13, ' four'));
  world.clock.advance(1100);
  replica.edit(block, [{ at: 0, delete: 4, insert: '' }]);
  assert.equal(replica.text(block), 'two three four');
  replica.undo(block);
  assert.equal(replica.text(block), 'one two three four');
  replica.undo(block);
  assert.equal(replica.text(block), 'one two');
  assert.deepEqual(replica.unsaved, [], 'nothing is left to be sent');
  replica.redo(block);
  assert.equal(replica.text(block), 'one two three four');
  replica.edit(block, append(0, 'zero '));
  replica.redo(block);
  await world.tools.splice(world.request('bob'), { block_id: block, offset: 0, delete_count: 3, insert: '1' });
  pair.connect(world.room);
  await deliverAll(pair);
  assert.equal(await world.textOf(block), 'zero 1 two three four', 'what is typed ends what could be redone');
  assert.equal(replica.text(block), 'zero 1 two three four');
  assert.deepEqual(world.lost, []);
});

test('[SY62] behind what was not sent an undo waits for the server, in its order among what is typed', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const { pair, replica } = await openPair(world, 'ann', block);
  replica.edit(block, append(3, ' two'));
  await deliverAll(pair);
  pair.cut();
  replica.edit(block, append(0, '> '));
  replica.undo(block);
  replica.undo(block);
  replica.edit(block, append(7, '!'));
  assert.equal(replica.text(block), 'one two!');
  await world.restart();
  pair.connect(world.room);
  await deliverAll(pair);
  assert.equal(await world.textOf(block), 'one!');
  assert.equal(replica.text(block), 'one!');
});

test('[SY62] what the server may have is not taken back here: the server undoes it, once', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const { pair, replica } = await openPair(world, 'ann', block);
  replica.edit(block, append(3, ' two'));
  pair.deliver();
  await settle();
  pair.cut();
  replica.undo(block);
  assert.equal(replica.text(block), 'one two');
  pair.connect(world.room);
  await deliverAll(pair);
  pair.cut();
  pair.connect(world.room);
  await deliverAll(pair);
  assert.equal(await world.textOf(block), 'one');
  assert.equal(replica.text(block), 'one');
});

test('[SY62] an undo of a text that was replaced, or in a new epoch, does nothing; what was typed and taken back stays away', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const { pair, replica } = await openPair(world, 'ann', block);
  replica.edit(block, append(3, ' two'));
  await deliverAll(pair);
  const content = { type: 'text' as const, text: 'one two three' };
  const leave = async (replace: () => Promise<unknown>): Promise<string | undefined> => {
    pair.cut();
    replica.edit(block, append(0, 'lost '));
    replica.undo(block);
    replica.undo(block);
    replica.edit(block, append(0, '> '));
    await replace();
    pair.connect(world.room);
    await deliverAll(pair);
    assert.equal(replica.text(block), await world.textOf(block));
    return replica.text(block);
  };
  assert.equal(await leave(() => world.restore()), '> one two');
  const replaced = await leave(() => world.engine.forest.editBlock(world.request(), world.root, { block, content }));
  assert.equal(replaced, '> one two three');
});

test('[SY62] an undo that waits outlives its replica', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const keeper = new MemoryKeeper();
  const pair = createPair(world, 'ann', { keeper });
  pair.connect(world.room);
  await deliverAll(pair);
  pair.replica.open(block);
  await deliverAll(pair);
  pair.replica.edit(block, append(3, ' two'));
  await deliverAll(pair);
  pair.cut();
  pair.replica.edit(block, append(7, ' three'));
  pair.replica.undo(block);
  assert.equal(keeper.left.length, 0, 'what was taken back is not left');
  pair.replica.undo(block);
  pair.replica.edit(block, append(0, '> '));
  const later = world.replica('ann-later', { keeper });
  later.restore(keeper.left);
  pair.reload(later);
  pair.connect(world.room);
  await deliverAll(pair);
  assert.equal(await world.textOf(block), '> one');
  assert.equal(keeper.left.length, 0);
});

test('[SY64] what is typed is kept key by key: the whole text is put once, and again when there is more to say than it is long', async () => {
  const world = new SyncWorld();
  const block = await world.begin('x'.repeat(100_000));
  const keeper = new MemoryKeeper();
  const pair = createPair(world, 'ann', { keeper });
  pair.connect(world.room);
  await deliverAll(pair);
  pair.replica.open(block);
  await deliverAll(pair);
  const other = await joinRoom(world, 'bob', block);
  for (let key = 0; key < 50; key += 1) {
    pair.replica.edit(block, append(key, 'y'));
    if (key % 3 === 0) other.replica.edit(block, append(0, 'z'));
    if (key % 5 === 0) await deliverAll(pair, other);
  }
  assert.equal(keeper.puts, 1, 'whether or not something was confirmed meanwhile');
  pair.cut();
  pair.replica.edit(block, append(0, 'end'));
  const [kept] = keeper.left;
  const later = world.replica('ann-later', { keeper });
  later.restore(kept === undefined ? [] : [kept]);
  assert.deepEqual(later.unsaved, [block]);
  for (let key = 0; key < 1000; key += 1) pair.replica.edit(block, append(0, 'y'));
  assert.equal(keeper.puts, 2);
  pair.replica.edit(block, [{ at: 0, delete: 1000, insert: '' }]);
  pair.reload(later);
  pair.connect(world.room);
  await deliverAll(pair, other);
  const text = await world.textOf(block);
  assert.ok(text?.startsWith('end') && text.endsWith('x'.repeat(1000)));
  assert.equal(other.replica.text(block), text);
});

test('[SY160] a replica that only read begins to edit when it is given the means, with what an earlier one has left', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const keeper = new MemoryKeeper();
  const { replica: first, pair: cut } = await openPair(world, 'ann', block, { keeper });
  cut.cut();
  first.edit(block, append(3, ' two'));
  const replica = world.reader('ann-later');
  const pair = new MemoryPair(replica, { agent: 'ann', mayWrite: true }, new SeededRandom(1));
  pair.connect(world.room);
  await deliverAll(pair);
  assert.throws(() => replica.open(block), /only reads/u);
  const heard: unknown[] = [];
  const stop = replica.followText(block, ({ splices }) => void heard.push(...splices));
  replica.allowEditing({ createTexts, keeper });
  replica.restore(keeper.left);
  assert.equal(replica.unsavedUnits(block), 1);
  assert.equal(replica.text(block), 'one two');
  replica.open(block);
  await deliverAll(pair);
  replica.edit(block, append(7, ' three'));
  stop();
  replica.edit(block, append(0, '> '));
  await deliverAll(pair);
  assert.equal(await world.textOf(block), '> one two three');
  assert.deepEqual(heard, [...append(3, ' two'), ...append(7, ' three')]);
  assert.equal(replica.unsavedUnits(block), 0);
});

test('[SY162] a pasted text is undone alone, however long it is', async () => {
  const world = new SyncWorld();
  const block = await world.begin('!');
  const { pair, replica } = await openPair(world, 'ann', block);
  replica.edit(block, [{ at: 0, delete: 1, insert: '' }], { isUnit: true });
  await deliverAll(pair);
  const pasted = `${'high water\n'.repeat(40_000)}😀`;
  replica.edit(block, append(0, 'so'));
  replica.edit(block, append(2, pasted), { isUnit: true });
  replica.edit(block, append(0, '> '));
  assert.equal(replica.unsavedUnits(block), 3);
  await deliverAll(pair);
  assert.equal(await world.textOf(block), `> so${pasted}`);
  for (const left of [`so${pasted}`, 'so', '']) {
    replica.undo(block);
    await deliverAll(pair);
    assert.equal(await world.textOf(block), left);
  }
  replica.redo(block);
  replica.redo(block);
  await deliverAll(pair);
  assert.equal(replica.text(block), `so${pasted}`);
  // Without a connection a whole paste is taken back as one, too.
  pair.cut();
  replica.edit(block, append(0, pasted), { isUnit: true });
  replica.undo(block);
  assert.equal(replica.text(block), `so${pasted}`);
});
