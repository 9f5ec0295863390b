import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CommandBlock } from '@loom/blocks';
import type { NodeState } from '@loom/kernel';
import { parseClientFrame, Replica } from '../index.ts';
import type { ClientFrame, KeptText } from '../index.ts';
import { MemoryKeeper } from '../testing/memory-keeper.ts';
import { MemoryPair } from '../testing/memory-pair.ts';
import { SeededRandom } from '../testing/seeded-random.ts';
import { createPair, deliverAll, joinRoom } from '../testing/delivery.ts';
import { countingIds, settle, SyncWorld } from '../testing/sync-world.ts';

const append = (at: number, insert: string): { at: number; delete: number; insert: string }[] => [
  { at, delete: 0, insert },
];

async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  for (let round = 0; round < 1000; round += 1) {
    if (await holds()) return;
    await settle();
  }
  assert.fail('it never came true');
}

test('[SY11] a replica that only reads follows everything and needs no documents', async () => {
  const world = new SyncWorld();
  const block = await world.begin('hello');
  const pair = createPair(world, 'ann');
  const { root, clock } = world;
  const changes: string[] = [];
  const reader = new Replica({
    root,
    clock,
    ids: countingIds('reader'),
    onLost: () => assert.fail('it has nothing to lose'),
    onChange: ({ type }) => void changes.push(type),
  });
  const { replica } = pair;
  pair.connect(world.room);
  const toReader: string[] = [];
  const member = world.room.enter(
    { send: ({ text }) => toReader.push(text) > 0, close: () => {} },
    { agent: 'bob', mayWrite: false },
  );
  reader.connect((text) => void member.receive(JSON.parse(text)));
  const readAll = async (): Promise<void> => {
    await deliverAll(pair);
    for (const text of toReader.splice(0)) reader.receive(JSON.parse(text));
  };
  await readAll();
  replica.open(block);
  await readAll();
  replica.edit(block, append(5, ' world'));
  await world.tools.splice(world.request('tool'), { block_id: block, offset: 0, delete_count: 1, insert: 'J' });
  await world.engine.forest.markRoot(world.request(), world.root, { title: 'A talk' });
  await readAll();
  assert.equal(reader.text(block), 'Jello world');
  assert.equal(reader.root.title, 'A talk');
  assert.deepEqual([...reader.nodes.values()], [...replica.nodes.values()]);
  assert.deepEqual([...reader.nodes.values()], await world.visibleNodes());
  assert.ok(changes.includes('snapshot') && changes.includes('change'));
  assert.throws(() => reader.open(block), /only reads/u);
});

test('[SY70] a replica that joins while a command prints has the beginning and the end of its output, and then the blob', async () => {
  const world = new SyncWorld();
  await world.begin('hello');
  const [node] = await world.visibleNodes();
  const params = { node: node?.id ?? '', provider: 'prompted', model: 'one' };
  assert.ok((await world.engine.turns.generate(world.request(), world.root, params)).ok);
  await until(() => world.model.isSpeaking);
  world.model.say('see:');
  const line = 'a line of output\n';
  world.model.print(`first\n${line.repeat(10_000)}`);
  const outputOf = (nodes: Iterable<NodeState>): CommandBlock['stdout'] =>
    [...nodes].flatMap(({ blocks }) => blocks).find((block) => block.type === 'command')?.stdout;
  const live = async (): Promise<CommandBlock['stdout']> => outputOf(await world.visibleNodes());
  await until(async () => typeof (await live()) === 'object');
  const pair = createPair(world, 'ann');
  pair.connect(world.room);
  await deliverAll(pair);
  const joined = outputOf(pair.replica.nodes.values());
  assert.ok(typeof joined === 'object' && joined.blob === undefined);
  assert.ok(joined.preview.startsWith('first\n') && joined.tail?.endsWith(line));
  world.model.print('more');
  await settle();
  await world.clock.advanceAndRest(1_000);
  await until(async () => JSON.stringify(await live()).includes('more'));
  await deliverAll(pair);
  const grown = outputOf(pair.replica.nodes.values());
  assert.ok(typeof grown === 'object' && grown.bytes === joined.bytes + 4 && grown.tail?.endsWith('more'));
  assert.equal(grown.preview, joined.preview);
  world.model.end();
  await until(async () => (await world.state()).liveTurns.size === 0);
  await deliverAll(pair);
  const ended = outputOf(pair.replica.nodes.values());
  assert.ok(typeof ended === 'object' && ended.blob !== undefined);
  assert.deepEqual(ended, await live());
});

test('[SY12] a change that comes twice is applied once, and where one is missing the rest is asked for', async () => {
  const world = new SyncWorld();
  const block = await world.begin('a');
  const received: unknown[] = [];
  const sent: unknown[] = [];
  const member = world.room.enter(
    { send: ({ text }) => received.push(JSON.parse(text)) > 0, close: () => {} },
    { agent: 'ann', mayWrite: true },
  );
  const replica = world.replica('ann');
  replica.connect((text) => void sent.push(JSON.parse(text)));
  const exchange = async (): Promise<void> => {
    for (const frame of sent.splice(0)) await member.receive(frame);
    for (const frame of received.splice(0)) replica.receive(frame);
  };
  await exchange();
  for (const insert of ['b', 'c', 'd']) {
    await world.tools.splice(world.request(), { block_id: block, offset: 1, delete_count: 0, insert });
  }
  const [first, , third] = received.splice(0);
  replica.receive(first);
  replica.receive(first);
  assert.equal(replica.text(block), 'ab');
  replica.receive(third);
  assert.equal(replica.text(block), 'ab');
  assert.equal(replica.status, 'joining');
  await exchange();
  assert.equal(replica.text(block), 'adcb');
  assert.equal(replica.status, 'live');
});

test('[SY12] a client that is told to join again while it joins asks again: the answer may be what was dropped', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const sent: string[] = [];
  const replica = world.replica('ann');
  replica.connect((text) => void sent.push(text));
  replica.receive({ type: 'resync' });
  assert.equal(sent.length, 2);
  const member = world.room.enter(
    { send: ({ text }) => (replica.receive(JSON.parse(text)), true), close: () => {} },
    { agent: 'ann', mayWrite: true },
  );
  for (const text of sent) await member.receive(JSON.parse(text));
  assert.equal(replica.status, 'live');
  assert.equal(replica.text(block), 'one');
});

test('[SY13] what is removed goes with all below it, and comes back when it is restored, also after a cut', async () => {
  const world = new SyncWorld();
  await world.begin('one');
  const [top] = await world.visibleNodes();
  await world.say('two', top?.id ?? '');
  const pair = await joinRoom(world, 'ann');
  const { forest } = world.engine;
  await forest.remove(world.request(), world.root, { node: top?.id ?? '', children: 'remove' });
  await deliverAll(pair);
  assert.equal(pair.replica.nodes.size, 0);
  await forest.restore(world.request(), world.root, top?.id ?? '');
  // The snapshot that it takes is asked for, and lost.
  pair.drain();
  pair.cut();
  pair.connect(world.room);
  await deliverAll(pair);
  assert.deepEqual([...pair.replica.nodes.values()], await world.visibleNodes());
});

test('[SY14] what is typed shows at once, is sent while nothing of the block is under way, and is saved when confirmed', async () => {
  const world = new SyncWorld();
  const block = await world.begin('hello');
  const replica = world.replica('ann');
  const sent: ClientFrame[] = [];
  const member = world.room.enter(
    { send: ({ text }) => (replica.receive(JSON.parse(text)), true), close: () => {} },
    { agent: 'ann', mayWrite: true },
  );
  replica.connect((text) => void sent.push(parseClientFrame(JSON.parse(text))));
  const deliverFirst = (): Promise<void> => member.receive(sent.shift());
  const underWay = (): number[] => sent.flatMap((frame) => (frame.type === 'update' ? [frame.edits.length] : []));
  await deliverFirst();
  assert.throws(() => replica.edit(block, append(0, 'x')), /open it first/u);
  replica.open(block);
  assert.throws(() => replica.edit(block, append(0, 'x')), /not open yet/u);
  await deliverFirst();
  replica.edit(block, append(5, '!'));
  replica.edit(block, append(6, '!'));
  replica.edit(block, append(7, '!'));
  assert.equal(replica.text(block), 'hello!!!');
  assert.deepEqual(underWay(), [1]);
  assert.deepEqual(replica.unsaved, [block]);
  assert.equal(replica.close(block), false);
  await deliverFirst();
  assert.deepEqual(underWay(), [2]);
  await deliverFirst();
  assert.deepEqual(replica.unsaved, []);
  assert.equal(await world.textOf(block), 'hello!!!');
  assert.equal(replica.close(block), true);
  assert.equal(replica.isOpen(block), false);
});

test('[SY15] what is typed offline merges when the connection is back', async () => {
  const world = new SyncWorld();
  const block = await world.begin('the text');
  const [ann, bob] = [await joinRoom(world, 'ann', block), await joinRoom(world, 'bob', block)];
  ann.cut();
  ann.replica.edit(block, append(8, ' of ann'));
  ann.replica.edit(block, [{ at: 0, delete: 3, insert: 'a' }]);
  bob.replica.edit(block, append(4, 'long '));
  await deliverAll(bob);
  ann.connect(world.room);
  await deliverAll(ann, bob);
  for (const { replica } of [ann, bob]) assert.equal(replica.text(block), 'a long text of ann');
});

test('[SY15] an edit whose confirmation was lost is sent again under its id and made once', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const pair = await joinRoom(world, 'ann', block);
  pair.replica.edit(block, append(3, ' two'));
  pair.deliver();
  await settle();
  assert.equal(await world.textOf(block), 'one two');
  pair.cut();
  assert.deepEqual(pair.replica.unsaved, [block]);
  await world.restart();
  pair.connect(world.room);
  await deliverAll(pair);
  assert.deepEqual(pair.replica.unsaved, []);
  assert.equal(await world.textOf(block), 'one two');
  assert.equal(pair.replica.text(block), 'one two');
});

test('[SY16] what is typed without a pause of a second is undone together', async () => {
  const world = new SyncWorld();
  const block = await world.begin('-');
  const pair = await joinRoom(world, 'ann', block);
  for (const [index, pause] of [0, 999, 1000, 999].entries()) {
    world.clock.advance(pause);
    pair.replica.edit(block, append(1 + index, String(index)));
  }
  await deliverAll(pair);
  const undo = async (): Promise<string | undefined> => {
    await world.tools.undo(world.request('ann'), { block_id: block });
    await deliverAll(pair);
    return pair.replica.text(block);
  };
  assert.equal(pair.replica.text(block), '-0123');
  assert.equal(await undo(), '-01');
  assert.equal(await undo(), '-');
});

test('[SY17] a person types at the top of a block while a model streams at its end: both texts are whole', async () => {
  const world = new SyncWorld();
  await world.begin('go');
  const [node] = await world.visibleNodes();
  const params = { node: node?.id ?? '', provider: 'prompted', model: 'one' };
  await world.engine.turns.generate(world.request(), world.root, params);
  await settle();
  const speak = async (text: string): Promise<void> => {
    world.model.say(text);
    await settle();
    world.clock.advance(200);
    await settle();
  };
  await speak('One ');
  const [, answer] = await world.visibleNodes();
  const block = answer?.blocks[0]?.block_id ?? '';
  const [ann, bob] = [await joinRoom(world, 'ann', block), await joinRoom(world, 'bob', block)];
  ann.replica.edit(block, append(0, 'Note: '));
  // The server has no document yet: text streamed now belongs to the beginning of every client.
  await speak('two ');
  await deliverAll(bob);
  assert.equal(bob.replica.text(block), 'One two ');
  await deliverAll(ann, bob);
  await speak('three');
  await deliverAll(ann, bob);
  ann.replica.edit(block, append(6, '"'));
  bob.replica.edit(block, append(bob.replica.text(block)?.length ?? 0, '.'));
  await deliverAll(ann, bob);
  await speak(' four');
  world.model.end();
  await settle();
  await deliverAll(ann, bob);
  const text = await world.textOf(block);
  assert.equal(text, 'Note: "One two three four.');
  for (const { replica } of [ann, bob]) assert.equal(replica.text(block), text);
});

test('[SY18] what was typed goes into the new text when the block was replaced meanwhile', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one two three');
  const pair = await joinRoom(world, 'ann', block);
  pair.cut();
  pair.replica.edit(block, append(13, ' four'));
  const content = { type: 'text' as const, text: 'zero one two three' };
  await world.engine.forest.editBlock(world.request(), world.root, { block, content });
  pair.connect(world.room);
  pair.replica.edit(block, append(18, ' five'));
  await deliverAll(pair);
  assert.equal(await world.textOf(block), 'zero one two three four five');
  assert.equal(pair.replica.text(block), 'zero one two three four five');
  assert.deepEqual(world.lost, []);
});

test('[SY18] a split keeps the text that is edited: what was typed in its right half is still there, and once', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one two three');
  const [node] = await world.visibleNodes();
  await world.say('answer', node?.id ?? '');
  const pair = await joinRoom(world, 'ann', block);
  pair.replica.edit(block, append(13, '!'));
  await deliverAll(pair);
  pair.replica.edit(block, append(14, '?'));
  await world.engine.forest.editNode(world.request(), world.root, {
    node: node?.id ?? '',
    content: 'one two!',
    mode: 'split',
  });
  await deliverAll(pair);
  assert.equal(pair.replica.text(block), ' three!?');
  assert.equal(await world.textOf(block), ' three!?');
});

test('[SY19] after a new epoch nothing is sent as it was queued: it is merged into the text that is there now', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const pair = await joinRoom(world, 'ann', block);
  pair.replica.edit(block, append(3, ' two'));
  await deliverAll(pair);
  pair.cut();
  pair.replica.edit(block, append(7, ' three'));
  // The last change is forgotten: the characters that the queued update builds on no longer exist.
  await world.restore(1);
  assert.equal(await world.textOf(block), 'one');
  pair.connect(world.room);
  pair.replica.edit(block, append(13, ' four'));
  await deliverAll(pair);
  assert.equal(await world.textOf(block), 'one three four');
  assert.equal(pair.replica.text(block), 'one three four');
  assert.deepEqual(world.lost, []);
});

test('[SY20] what the server refuses is handed to its author, and the block is opened again', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const pair = await joinRoom(world, 'ann', block);
  pair.replica.edit(block, append(3, ' two'));
  const refusal = { reason: 'invalid-params' as const, problems: [{ path: ['update'], problem: 'is wrong' }] };
  pair.replica.receive({ type: 'refused', id: 'ann-000003', refusal });
  assert.deepEqual(world.lost, [{ block, base: 'one', text: 'one two', refusal }]);
  assert.equal(pair.replica.text(block), 'one');
  pair.cut();
  pair.connect(world.room);
  await deliverAll(pair);
  assert.ok(pair.replica.isOpen(block));
  pair.replica.edit(block, append(3, '!'));
  await deliverAll(pair);
  assert.equal(await world.textOf(block), 'one!');
});

test('[SY21] what was typed in a block that is gone is handed to its author', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const [node] = await world.visibleNodes();
  const pair = await joinRoom(world, 'ann', block);
  pair.cut();
  pair.replica.edit(block, append(3, ' two'));
  await world.engine.forest.remove(world.request(), world.root, { node: node?.id ?? '', children: 'remove' });
  pair.connect(world.room);
  await deliverAll(pair);
  assert.deepEqual(
    world.lost.map(({ base, text, refusal }) => [base, text, refusal.reason]),
    [['one', 'one two', 'block-not-found']],
  );
  assert.equal(pair.replica.isOpen(block), false);
});

test('[SY22] cursors of other agents are sent to all connected clients and to those that join later, move with the text, and go with their block or agent', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one two');
  const [node] = await world.visibleNodes();
  const [ann, bob] = [await joinRoom(world, 'ann'), await joinRoom(world, 'bob', block)];
  ann.replica.setCursor(block, 4, 7);
  await deliverAll(ann, bob);
  const cleo = await joinRoom(world, 'cleo');
  const place = { agent: 'ann', block, version: 1, anchor: 4, head: 7 };
  assert.equal(ann.replica.cursors.size, 0);
  for (const { replica } of [bob, cleo]) assert.deepEqual(replica.cursors.get('ann'), place);
  bob.replica.edit(block, append(0, 'zero '));
  await deliverAll(ann, bob, cleo);
  assert.deepEqual(cleo.replica.cursors.get('ann'), { ...place, version: 2, anchor: 9, head: 12 });
  bob.replica.setCursor(block, 0);
  await deliverAll(ann, bob, cleo);
  bob.cut();
  assert.equal(bob.replica.cursors.size, 0);
  await deliverAll(ann, cleo);
  assert.deepEqual([...cleo.replica.cursors.keys()], ['ann']);
  assert.deepEqual([...ann.replica.cursors.keys()], []);
  await world.engine.forest.remove(world.request(), world.root, { node: node?.id ?? '', children: 'remove' });
  await deliverAll(ann, cleo);
  assert.equal(cleo.replica.cursors.size, 0);
});

test('[SY57] what was typed and not confirmed outlives its replica, is made once however many have it, and is not lost with its block', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const keeper = new MemoryKeeper();
  const pair = createPair(world, 'ann', { keeper });
  pair.connect(world.room);
  await deliverAll(pair);
  pair.replica.open(block);
  await deliverAll(pair);
  pair.replica.edit(block, append(3, ' two'));
  assert.equal(keeper.left.length, 1);
  await deliverAll(pair);
  assert.equal(keeper.left.length, 0, 'what is confirmed is not left');
  pair.cut();
  pair.replica.edit(block, append(7, ' three'));
  await world.tools.splice(world.request('tool'), { block_id: block, offset: 0, delete_count: 0, insert: 'zero ' });
  const { left } = keeper;
  const later = ['ann-b', 'ann-c'].map((name) => createPair(world, name, { keeper }));
  for (const { replica } of later) {
    replica.restore(left);
    assert.deepEqual(replica.unsaved, [block]);
  }
  // The agent that typed it is the one that may send it.
  const tabs = later.map(
    ({ replica }) => new MemoryPair(replica, { agent: 'ann', mayWrite: true }, new SeededRandom(1)),
  );
  for (const tab of tabs) tab.connect(world.room);
  await deliverAll(...tabs);
  assert.equal(await world.textOf(block), 'zero one two three');
  for (const { replica } of tabs) {
    assert.deepEqual([replica.unsaved, replica.isOpen(block), replica.text(block)], [[], false, 'zero one two three']);
  }
  assert.equal(keeper.left.length, 0);
  const [gone, damaged] = [
    { ...left[0], id: 'gone', block: `${world.root}/@ann/99`, node: `${world.root}/node-99` },
    { ...left[0], id: 'damaged', document: 'AAEC/w==' },
  ].map((text): KeptText => ({ ...(left[0] ?? assert.fail()), ...text }));
  for (const text of [gone, damaged]) if (text !== undefined) keeper.put(text);
  const [tab] = tabs;
  tab?.replica.restore(keeper.left);
  await deliverAll(...tabs);
  assert.deepEqual(
    world.lost.map(({ text, refusal }) => [text, refusal.reason]),
    [['one two three', 'block-not-found']],
  );
  assert.deepEqual([keeper.left.map(({ id }) => id), tab?.replica.unsaved], [['damaged'], []]);
});

test('[SY57] what one replica left and the next one took over and left again is made once, even where it has to be merged', async () => {
  const world = new SyncWorld();
  const block = await world.begin('one');
  const keeper = new MemoryKeeper();
  const first = createPair(world, 'ann', { keeper });
  first.connect(world.room);
  await deliverAll(first);
  first.replica.open(block);
  await deliverAll(first);
  first.cut();
  first.replica.edit(block, append(3, ' two'));
  const content = { type: 'text' as const, text: 'one, replaced' };
  assert.ok((await world.engine.forest.editBlock(world.request('tool'), world.root, { block, content })).ok);
  // The second one has kept what it took over, and was gone before the server had answered.
  const [kept = assert.fail()] = keeper.left;
  const holds = kept.edits
    .concat(kept.steps?.flatMap((step) => ('did' in step ? [step.did] : [])) ?? [])
    .map(({ id }) => id);
  keeper.put({ ...kept, id: 'second', holds });
  const third = createPair(world, 'ann', { keeper });
  third.replica.restore(keeper.left);
  third.connect(world.room);
  await deliverAll(third);
  assert.equal(await world.textOf(block), 'one two, replaced');
  assert.deepEqual([keeper.left, third.replica.unsaved], [[], []]);
  // Two that took over the same hold each other's work: one of them stays.
  const fourth = createPair(world, 'ann', { keeper });
  fourth.replica.restore(['one', 'twin'].map((id) => ({ ...kept, id, holds })));
  assert.deepEqual(fourth.replica.unsaved, [block]);
});
