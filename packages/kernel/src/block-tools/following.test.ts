import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spliceText } from '@loom/blocks';
import { say } from '../testing/scripted-provider.ts';
import { visibleBlocks } from '../forest/reading/block-walk.ts';
import { contentOf } from '../forest/reading/block-place.ts';
import type { BlockPatch, BlockSnapshot } from './schemas.ts';
import { SeededRandom } from './testing/seeded-random.ts';
import { createToolWorld, done, refused } from './testing/tool-world.ts';
import type { ToolWorld } from './testing/tool-world.ts';

/** The knowledge of a client that only follows patches. */
class Follower {
  readonly blocks = new Map<string, { version: number; text: string; status: string }>();
  readonly patches: BlockPatch[] = [];

  begin(snapshots: readonly BlockSnapshot[]): void {
    for (const { block_id, version, content, status } of snapshots)
      this.blocks.set(block_id, { version, text: content, status });
  }

  take(patch: BlockPatch): void {
    this.patches.push(patch);
    const { block_id: id, version, changes, appended, field, status, content, removed } = patch;
    const known = this.blocks.get(id);
    if (removed === true) {
      assert.ok(known !== undefined, `${id} was never there`);
      this.blocks.delete(id);
      return;
    }
    assert.ok(version > (known?.version ?? 0), `version ${version} of ${id} was told before`);
    assert.ok(content !== undefined || version === (known?.version ?? 0) + 1, `a version before ${version} is missing`);
    assert.equal(field, undefined, 'only texts grow in this test');
    let text = content ?? known?.text ?? '';
    if (changes !== undefined) text = spliceText(text, changes);
    if (appended !== undefined) text += appended;
    this.blocks.set(id, { version, text, status: status ?? known?.status ?? '' });
  }

  get versions(): [string, number][] {
    return [...this.blocks].map(([id, { version }]) => [id, version]);
  }
}

async function shown({ engine, root }: ToolWorld): Promise<Map<string, [number, string]>> {
  const state = await engine.forest.log(root).state();
  return new Map(
    [...visibleBlocks(state)].map(({ block }) => [block.block_id ?? '', [block.version ?? 1, contentOf(block)]]),
  );
}

async function assertUpToDate(world: ToolWorld, follower: Follower): Promise<void> {
  // Blocks that disappear and come back with their message are looked up, which takes a moment.
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const known = [...follower.blocks].map(([id, { version, text }]): [string, [number, string]] => [
    id,
    [version, text],
  ]);
  assert.deepEqual(new Map(known), await shown(world));
}

test('[BT50] sync returns every block to a client that knows none, and what is missing to one that knows some', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ metadata: { path: 'a' } });
  const all = done(await world.tools.sync({ versions: [] }));
  assert.deepEqual([all.patches, all.new_blocks.length], [[], 1]);
  assert.deepEqual(all.new_blocks[0], {
    block_id,
    role: 'user',
    kind: 'text',
    status: 'pending',
    path: 'a',
    summary: '',
    version: 1,
    dirty: false,
    content: '',
    metadata: { path: 'a' },
  });
  done(await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 0, insert: 'b' }));
  done(await world.tools.append(world.by(), { block_id, text: 'c' }));
  const fresh = await world.block({ content: 'fresh' });
  const more = done(await world.tools.sync({ versions: [[block_id, 1]] }));
  assert.deepEqual(
    more.patches.map(({ version, changes, status, update }) => [version, changes, status, typeof update]),
    [
      [2, [{ at: 0, delete: 0, insert: 'b' }], 'running', 'string'],
      [3, [{ at: 1, delete: 0, insert: 'c' }], 'running', 'string'],
    ],
  );
  assert.deepEqual(
    more.new_blocks.map((block) => block.block_id),
    [fresh],
  );
  const nothing = done(
    await world.restarted().sync({
      versions: [
        [block_id, 3],
        [fresh, 1],
      ],
    }),
  );
  assert.deepEqual(nothing, { patches: [], new_blocks: [] });
});

test('[BT51] sync tells of blocks that are not there any more', async () => {
  const world = await createToolWorld();
  const kept = await world.block({ content: 'kept' });
  const gone = await world.block({ content: 'gone' });
  const node = (await world.state()).nodeOfBlock.get(gone) ?? '';
  assert.ok((await world.engine.forest.remove(world.by(), world.root, { node, children: 'remove' })).ok);
  const nowhere = 'root-nowhere/@ann/1';
  const { patches, new_blocks } = done(
    await world.tools.sync({
      versions: [
        [kept, 1],
        [gone, 1],
        [nowhere, 1],
      ],
    }),
  );
  assert.deepEqual(
    patches,
    [gone, nowhere].map((id) => ({ block_id: id, version: 0, removed: true })),
  );
  assert.deepEqual(new_blocks, []);
});

test('[BT52] a subscriber gets every version once, as one patch, from the moment on', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const other = await world.block({ content: 'other' });
  const heard: BlockPatch[] = [];
  const stop = done(await world.tools.subscribe({ block_ids: [block_id] }, (patch) => heard.push(patch)));
  done(await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 0, insert: 'b' }));
  done(await world.tools.splice(world.by(), { block_id: other, offset: 0, delete_count: 0, insert: 'b' }));
  done(await world.tools.append(world.by(), { block_id, text: 'c' }));
  done(await world.tools.status(world.by(), { block_id, status: 'done' }));
  const node = (await world.state()).nodeOfBlock.get(block_id) ?? '';
  assert.ok((await world.engine.forest.markNode(world.by(), world.root, { node, title: 'no change of a block' })).ok);
  assert.deepEqual(
    heard.map(({ update: _update, ...patch }) => patch),
    [
      { block_id, version: 2, status: 'running', appended: 'b' },
      { block_id, version: 3, appended: 'c' },
      { block_id, version: 4, status: 'done' },
    ],
  );
  stop();
  done(await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 1 }));
  assert.equal(heard.length, 3);
});

test('[BT53] a subscriber that resumes from versions gets what it missed, new blocks too, then what happens: nothing twice, nothing missing', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'x' });
  const before = new Follower();
  before.begin(done(await world.tools.sync({ versions: [] })).new_blocks);
  for (const insert of ['a', 'b', 'c']) {
    done(await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 0, insert }));
  }
  await world.block({ content: 'new' });
  const writing = (async () => {
    for (let index = 0; index < 40; index += 1) {
      done(
        await world.tools.splice(world.by('bob'), { block_id, offset: 0, delete_count: index % 2, insert: `${index}` }),
      );
      if (index % 10 === 0) await world.block({ content: `${index}` }, 'bob');
    }
  })();
  await world.tools.subscribe({ from_versions: before.versions }, (patch) => before.take(patch));
  await writing;
  await assertUpToDate(world, before);
  assert.equal(before.patches.filter((patch) => patch.block_id === block_id).length, 43);
});

test('[BT53] a subscriber follows a streamed turn to the letter', async () => {
  const world = await createToolWorld([say('Hel', 'lo\n', 'world')]);
  const follower = new Follower();
  await world.tools.subscribe({}, (patch) => follower.take(patch));
  const turn = await world.answer(await world.say('hi'));
  await world.engine.turns.wait(turn);
  await assertUpToDate(world, follower);
});

test('[BT54] a subscriber is told when blocks go out of sight and when they come back', async () => {
  const world = await createToolWorld();
  const { forest } = world.engine;
  const follower = new Follower();
  const node = await world.say('left right');
  await world.say('reply', node);
  follower.begin(done(await world.tools.sync({ versions: [] })).new_blocks);
  await world.tools.subscribe({ from_versions: follower.versions }, (patch) => follower.take(patch));
  const check = (): Promise<void> => assertUpToDate(world, follower);
  assert.ok((await forest.editNode(world.by(), world.root, { node, content: 'left', mode: 'split' })).ok);
  await check();
  assert.ok((await forest.undo(world.by(), world.root)).ok);
  await check();
  assert.ok((await forest.remove(world.by(), world.root, { node, children: 'remove' })).ok);
  await check();
  assert.equal(follower.blocks.size, 0);
  assert.ok((await forest.undo(world.by(), world.root)).ok);
  await check();
  assert.ok((await forest.removeRoot(world.by(), world.root)).ok);
  await check();
  assert.ok((await forest.restoreRoot(world.by(), world.root)).ok);
  await check();
  assert.equal(follower.blocks.size, 2);
});

test('[BT54] followers of a conversation that is edited, cut, merged and undone end with the same texts', async () => {
  for (let seed = 0; seed < 8; seed += 1) {
    const random = new SeededRandom(seed);
    const world = await createToolWorld();
    const { forest } = world.engine;
    const node = await world.say('one\ntwo\nthree\n');
    await world.say('reply', node);
    const follower = new Follower();
    follower.begin(done(await world.tools.sync({ versions: [] })).new_blocks);
    await world.tools.subscribe({}, (patch) => follower.take(patch));
    for (let step = 0; step < 30; step += 1) {
      const blocks = [...visibleBlocks(await world.state())];
      const place = blocks[random.below(blocks.length)];
      const [id, text] = [place?.block.block_id ?? '', place === undefined ? '' : contentOf(place.block)];
      const at = random.below(text.length + 1);
      const what = random.below(8);
      const by = world.by(random.pick(['ann', 'bob']));
      if (what < 3) await world.tools.splice(by, { block_id: id, offset: at, delete_count: 0, insert: `${step}\n` });
      else if (what === 3) await world.tools.undo(by, { block_id: id });
      else if (what === 4)
        await forest.editNode(by, world.root, {
          node: place?.node.id ?? '',
          content: `${text.slice(0, at)}!`,
          mode: 'split',
        });
      else if (what === 5) await forest.undo(by, world.root);
      else if (what === 6) await forest.merge(by, world.root, place?.node.id ?? '');
      else await forest.remove(by, world.root, { node: place?.node.id ?? '', children: 'reparent' });
    }
    await assertUpToDate(world, follower);
  }
});

test('[BT78] the first words of a block tell that it is running now', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const patches: BlockPatch[] = [];
  await world.tools.subscribe({ block_ids: [block_id] }, (patch) => patches.push(patch));
  done(await world.tools.append(world.by(), { block_id, text: 'first' }));
  done(await world.tools.append(world.by(), { block_id, text: ' more' }));
  assert.deepEqual(patches, [
    { block_id, version: 2, appended: 'first', status: 'running' },
    { block_id, version: 3, appended: ' more' },
  ]);
});

test('[BT78] a subscriber that missed the first words is told that it is running, too', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  done(await world.tools.append(world.by(), { block_id, text: 'first' }));
  const patches: BlockPatch[] = [];
  const params = { block_ids: [block_id], from_versions: [[block_id, 1]] satisfies [string, number][] };
  done(await world.tools.subscribe(params, (patch) => patches.push(patch)));
  assert.partialDeepStrictEqual(patches, [{ block_id, version: 2, status: 'running' }]);
  assert.equal(patches.length, 1);
});

test('[BT81] a subscription to a block that never existed is refused, and follows nothing', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const heard: BlockPatch[] = [];
  const subscribe = (ids: string[]) => world.tools.subscribe({ block_ids: ids }, (patch) => heard.push(patch));
  for (const unknown of ['root-none/@person/1', `${world.root}/@person/999`, `${world.root}/node-1`]) {
    assert.equal(refused(await subscribe([block_id, unknown]), 'block-not-found').block, unknown);
  }
  done(await world.tools.append(world.by(), { block_id, text: 'first' }));
  assert.deepEqual(heard, []);
  const node = (await world.state()).nodeOfBlock.get(block_id) ?? '';
  assert.ok((await world.engine.forest.remove(world.by(), world.root, { node, children: 'remove' })).ok);
  const stop = done(await subscribe([block_id]));
  assert.ok((await world.engine.forest.restore(world.by(), world.root, node)).ok);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(
    heard.map(({ block_id: id }) => id),
    [block_id],
    'what is deleted may come back',
  );
  stop();
});

test('[BT79] a subscriber that stops right after a conversation was listed hears nothing of it', async () => {
  const world = await createToolWorld();
  const patches: BlockPatch[] = [];
  const stop = done(await world.tools.subscribe({}, (patch) => patches.push(patch)));
  const { forest } = world.engine;
  let stopped = false;
  forest.subscribeToRoots(() => {
    stop();
    stopped = true;
  });
  const created = await forest.createRoot(world.by(), {});
  assert.ok(created.ok && stopped);
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  await world.block({ parent_id: created.value.root, content: 'unheard' });
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(patches, []);
});

test('[BT80] a subscriber that throws hears the next patch all the same', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const heard: number[] = [];
  await world.tools.subscribe({}, ({ version }) => assert.fail(`broken at ${heard.push(version)}`));
  done(await world.tools.append(world.by(), { block_id, text: 'one' }));
  done(await world.tools.append(world.by(), { block_id, text: 'two' }));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(heard, [2, 3]);
});

test('[BT55] a cursor is sent to the subscribers of this process, and never kept', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'ab😀' });
  const heard: unknown[] = [];
  world.engine.forest.log(world.root).subscribe((item) => heard.push(item));
  const { seq } = await world.state();
  assert.deepEqual(await world.call('cursor.set', { block_id, anchor: 1 }), { version: 1 });
  assert.deepEqual(await world.call('cursor.set', { block_id, anchor: 4, head: 0 }, 'bob'), { version: 1 });
  assert.deepEqual(heard, [
    { type: 'cursor', cursor: { agent: 'ann', block: block_id, version: 1, anchor: 1, head: 1 } },
    { type: 'cursor', cursor: { agent: 'bob', block: block_id, version: 1, anchor: 4, head: 0 } },
  ]);
  refused(await world.call('cursor.set', { block_id, anchor: 5 }), 'invalid-params');
  refused(await world.call('cursor.set', { block_id, anchor: 0, head: 5 }), 'invalid-params');
  assert.equal((await world.state()).seq, seq);
});

test('[BT77] a subscriber to all blocks hears of conversations that begin later, in any process', async () => {
  const world = await createToolWorld();
  const other = world.restarted();
  const heard: BlockPatch[] = [];
  const stop = done(await world.tools.subscribe({}, (patch) => heard.push(patch)));
  const created = done(await other.create(world.by(), { role: 'user', kind: 'text', content: 'begun' }));
  done(
    await other.edit(world.by(), {
      block_id: created.block_id,
      operations: [{ op: 'insert', line: 1, content: 'more' }],
    }),
  );
  for (let turn = 0; turn < 50 && heard.length < 2; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  const last = heard.at(-1);
  assert.deepEqual([last?.block_id, last?.version], [created.block_id, 2]);
  assert.ok(heard.some(({ content }) => content !== undefined));
  stop();
  const before = heard.length;
  done(await other.create(world.by(), { role: 'user', kind: 'text', content: 'unheard' }));
  for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  assert.equal(heard.length, before);
});
