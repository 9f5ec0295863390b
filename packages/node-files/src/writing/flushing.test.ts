import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Message } from '@loom/blocks';
import type { ProjectionRequest } from '@loom/kernel/store';
import { z } from 'zod';
import { countCalls, expect, FilesWorld } from '../testing/files-world.ts';
import type { NodeFilesPort } from '../node-files-port.ts';
import { nodeOf, rootOf } from '../testing/legacy-directory.ts';

test('[NW1] a moment after a change the files are what the log says, to the byte and in the order of keys', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const first = await world.say(root, root, 'hello');
  await world.say(root, first, 'hi', 'assistant');
  await world.settle(90);
  assert.equal(await world.read(`${root}/nodes/node-1.json`), undefined);
  await world.settle(20);
  await world.settle(200);
  await world.assertWritten();
  expect(await world.forest.markRoot(world.request(), root, { title: 'Talk', tags: ['t'] }));
  expect(await world.forest.bookmark(world.request(), root, { node: first, title: 'Here' }));
  await world.settle(400);
  await world.assertWritten();
  const keys = Object.keys(z.looseObject({}).parse(JSON.parse((await world.read(`${root}/root.json`)) ?? '')));
  assert.equal(keys.join(' '), 'id created_at config title tags child_ids bookmarks counters format seq');
  assert.deepEqual(JSON.parse((await world.read('roots.json')) ?? ''), [
    {
      id: root,
      createdAt: '2026-01-01T00:00:00.000Z',
      config: { systemPrompt: 'Be brief.' },
      child_ids: [first],
      title: 'Talk',
    },
  ]);
});

test('[NW1] splits, moves, deletions, restored and copied nodes leave no file behind the log', async () => {
  const world = await FilesWorld.create();
  const [root, other] = [await world.createRoot(), await world.createRoot('Another.')];
  const first = await world.say(root, root, 'one two three');
  const second = await world.say(root, first, 'four', 'assistant');
  const third = await world.say(root, second, 'five');
  const steps: (() => Promise<unknown>)[] = [
    async () =>
      expect(await world.forest.editNode(world.request(), root, { node: first, content: 'one', mode: 'split' })),
    async () => expect(await world.forest.undo(world.request(), root)),
    async () => expect(await world.forest.move(world.request(), root, { node: third, parent: root })),
    async () => expect(await world.forest.remove(world.request(), root, { node: second, children: 'remove' })),
    async () => expect(await world.forest.restore(world.request(), root, second)),
    async () =>
      expect(await world.forest.moveToRoot(world.request(), { root, node: second }, { root: other, parent: other })),
    async () => {
      const block = (await world.node(root, third)).blocks[0]?.block_id ?? '';
      expect(await world.forest.fork(world.request(), root, { block }));
    },
    async () => expect(await world.forest.removeRoot(world.request(), other)),
  ];
  for (const step of steps) {
    await world.settle();
    await step();
    await world.settle();
    await world.assertWritten();
  }
});

test('[NW2] a node that is being written is flushed at most once a second, and once more when it is done', async () => {
  const writes: string[] = [];
  const world = await FilesWorld.create({ plant: countCalls('rename', (path) => writes.push(path)) });
  const root = await world.createRoot();
  const first = await world.say(root, root, 'go');
  const answer = await world.begin(root, first);
  await world.settle(500);
  writes.length = 0;
  for (let count = 0; count < 50; count += 1) {
    await answer.write(`word ${count} `);
    await world.settle(100);
  }
  const streamed = writes.filter((path) => path.endsWith('node-2.json')).length;
  assert.ok(streamed >= 4 && streamed <= 6, `it was written ${streamed} times in five seconds`);
  await answer.end();
  await world.settle(150);
  await world.assertWritten();
});

test('[NW2] at the end everything is written, whatever was written a moment ago', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const answer = await world.begin(root, root);
  await world.settle(150);
  await answer.write('the last word');
  await world.shutDown();
  await world.boot();
  await world.assertWritten();
  assert.deepEqual(world.reported('failed'), []);
});

test('[NW2] who stops while the files are looked at for the first time leaves no watch behind, and no complaint', async () => {
  const world = await FilesWorld.create({ isUnwatched: true });
  const starting = world.files.start();
  await world.shutDown();
  await starting;
  assert.equal(world.process.changed.size, 0);
  assert.deepEqual(world.reports, []);
});

test('[NW3] only what has changed is written, and the files of a batch share one sync of their folder', async () => {
  const [written, synced]: [string[], string[]] = [[], []];
  const plant = (files: NodeFilesPort): NodeFilesPort =>
    countCalls('syncDirectory', (path) => synced.push(path))(countCalls('rename', (path) => written.push(path))(files));
  const world = await FilesWorld.create({ plant });
  const root = await world.createRoot();
  let parent = root;
  for (let count = 0; count < 20; count += 1) parent = await world.say(root, parent, `message ${count}`);
  await world.settle();
  assert.equal(written.filter((path) => path.includes('/nodes/')).length, 20);
  // One sync when the folder is made, and one for all files in it.
  assert.ok(synced.filter((path) => path.endsWith('/nodes')).length <= 2);
  written.length = 0;
  await world.say(root, parent, 'one more');
  await world.settle();
  assert.deepEqual(
    new Set(written.map((path) => path.split('/').at(-1))),
    new Set(['node-20.json', 'node-21.json', 'root.json']),
  );
});

test('[NW6] a missing file is written again, at once and at the next start, and a deleted node keeps its file', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const first = await world.say(root, root, 'hello');
  const second = await world.say(root, first, 'hi', 'assistant');
  expect(await world.forest.remove(world.request(), root, { node: second, children: 'remove' }));
  await world.settle();
  assert.match((await world.read(`${root}/nodes/node-2.json`)) ?? '', /"deleted": true/u);
  for (const path of [`${root}/nodes/node-1.json`, `${root}/root.json`, 'roots.json']) await world.remove(path);
  await world.settle();
  await world.assertWritten();
  assert.equal(world.reported('restored').length, 2);
  await world.shutDown();
  for (const path of [`${root}/nodes/node-2.json`, `${root}/root.json`, 'roots.json']) await world.remove(path);
  await world.boot();
  await world.settle();
  await world.assertWritten();
  assert.equal((await world.node(root, second)).deleted, true);
  assert.equal((await world.node(root, first)).deleted, undefined);
});

test('[NW7] a root that is not used and was not touched is not loaded, and others are', async () => {
  const world = await FilesWorld.create();
  const roots = [await world.createRoot('one'), await world.createRoot('two'), await world.createRoot('three')];
  for (const root of roots) await world.say(root, root, 'hello');
  await world.shutDown();
  await world.edit(`${roots[1]}/nodes/node-1.json`, 'hello', 'hello you');
  const loaded: string[] = [];
  world.watchReads((log, afterSeq) => {
    if (afterSeq === 0) loaded.push(log);
  });
  await world.boot();
  await world.settle();
  assert.deepEqual(new Set(loaded), new Set(['forest', roots[1]]));
  assert.equal(await world.text(roots[1] ?? '', `${roots[1]}/node-1`), 'hello you');
});

test('[NW7] what a process left unwritten when it was killed is written by the next', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const first = await world.say(root, root, 'hello');
  await world.settle();
  await world.say(root, first, 'unwritten', 'assistant');
  await world.boot();
  await world.settle();
  await world.assertWritten();
});

test('[NW8] without its ledger everything is compared: no file is written, and no edit lost', async () => {
  const written: string[] = [];
  const world = await FilesWorld.create({ plant: countCalls('rename', (path) => written.push(path)) });
  const root = await world.createRoot();
  const first = await world.say(root, root, 'hello');
  await world.say(root, first, 'hi', 'assistant');
  await world.shutDown();
  await world.edit(`${root}/nodes/node-2.json`, '"hi"', '"high"');
  await world.forgetLedgers();
  written.length = 0;
  await world.boot();
  await world.settle();
  assert.equal(await world.text(root, `${root}/node-2`), 'high');
  assert.deepEqual(new Set(written.map((path) => path.split('/').at(-1))), new Set(['node-2.json']));
  await world.assertWritten();
});

test('[NW8] a ledger that is damaged counts as lost, and nothing else comes of it', async () => {
  const written: string[] = [];
  const world = await FilesWorld.create({ plant: countCalls('rename', (path) => written.push(path)) });
  const root = await world.createRoot();
  await world.say(root, root, 'hello');
  const { seq } = await world.state(root);
  await world.shutDown();
  await world.damageLedgers();
  written.length = 0;
  await world.boot();
  await world.files.checkRoot(root);
  await world.settle();
  assert.equal((await world.state(root)).seq, seq);
  assert.deepEqual(written, []);
  await world.assertWritten();
  assert.deepEqual(world.reports, []);
});

test('[NW9] a list of roots that is damaged, or was changed, is made again, and its bytes are kept', async () => {
  for (const damage of ['', '[{"id": "root-1"}', '{}', '[]', '[{"id":"root-of-somebody"}]']) {
    const world = await FilesWorld.create();
    for (const prompt of ['one', 'two']) await world.createRoot(prompt);
    await world.settle();
    const whole = await world.read('roots.json');
    await world.save('roots.json', damage);
    await world.settle();
    assert.equal(await world.read('roots.json'), whole);
    assert.deepEqual(
      (await world.files.quarantined()).map(({ file }) => file),
      ['roots.json'],
    );
    await world.shutDown();
    await world.save('roots.json', damage);
    await world.boot();
    await world.settle();
    assert.equal(await world.read('roots.json'), whole);
  }
});

test('[NW4] a list of roots that Loom wrote is known as its own also if a power cut takes what was added to the ledger', async () => {
  const world = await FilesWorld.create({ isUnwatched: true });
  let left: ProjectionRequest | undefined;
  const { store } = world;
  const write = store.writeProjection.bind(store);
  store.writeProjection = (log, name, request) => {
    // Only a complete write is durable.
    if (log === 'forest' && request.base === undefined) left = request;
    return write(log, name, request);
  };
  for (const prompt of ['one', 'two', 'three']) {
    await world.createRoot(prompt);
    await world.settle();
  }
  assert.ok(left !== undefined && (await write('forest', 'files', left)));
  await world.boot();
  await world.createRoot('four');
  await world.settle();
  await world.assertWritten();
  assert.deepEqual([await world.list('quarantine'), world.reports], [[], []]);
});

test('[NW10] a root whose id is not a plain name has no files, and is reported', async () => {
  const world = await FilesWorld.create();
  for (const root of ['root-../outside', 'root-a/b', 'root-\u0007']) {
    await world.listRoot(root);
    await world.settle();
  }
  assert.equal(world.reported('failed').length, 3);
  assert.deepEqual(await world.list('..'), []);
});

test('[NW11] what a crash has left of writing is swept at start', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  await world.say(root, root, 'hello');
  await world.shutDown();
  const leftovers = [`${root}/nodes/node-1.json.loom.tmp`, `${root}/root.json.loom.tmp`, 'roots.json.loom.tmp'];
  for (const path of leftovers) await world.save(path, 'torn');
  await world.save(`${root}/nodes/node-1.json.tmp`, 'of somebody else');
  await world.boot();
  await world.files.checkRoot(root);
  for (const path of leftovers) assert.equal(await world.read(path), undefined);
  assert.equal(await world.read(`${root}/nodes/node-1.json.tmp`), 'of somebody else');
});

test('[NW12] files of an older generation stay as they are until their node changes, and nothing is added beside them', async () => {
  const world = await FilesWorld.create({ isUnwatched: true });
  const root = 'root-1';
  await world.listRoot(root);
  const first = await world.say(root, root, 'I am root-1/node-1');
  await world.say(root, first, 'I am root-1/node-2');
  const files: Record<string, unknown> = {
    'roots.json': [rootOf(root, [first])],
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', root, ['root-1/node-2']),
    'root-1/nodes/node-2.json': nodeOf('root-1/node-2', 'root-1/node-1'),
  };
  await world.shutDown();
  await world.forgetDisk();
  for (const [path, value] of Object.entries(files)) await world.save(path, JSON.stringify(value, undefined, 2));
  await world.boot();
  await world.files.start();
  await world.settle();
  assert.deepEqual((await world.list('')).sort(), ['root-1', 'roots.json']);
  assert.deepEqual(await world.list('root-1'), ['nodes']);
  for (const [path, value] of Object.entries(files))
    assert.equal(await world.read(path), JSON.stringify(value, undefined, 2));

  await world.edit('root-1/nodes/node-2.json', 'I am', 'I was');
  await world.settle();
  assert.equal(await world.text(root, 'root-1/node-2'), 'I was root-1/node-2');
  assert.match((await world.read('root-1/nodes/node-2.json')) ?? '', /"format": 2/u);
  assert.equal(
    await world.read('root-1/nodes/node-1.json'),
    JSON.stringify(files['root-1/nodes/node-1.json'], undefined, 2),
  );
});

test('[NW5] on a full disk the log goes on; what could not be written is reported, and written when there is room', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  let parent = await world.say(root, root, 'hello');
  await world.settle();
  world.disk.full = true;
  for (let count = 0; count < 20; count += 1) {
    parent = await world.say(root, parent, `message ${count}`);
    await world.settle(10_000);
  }
  const failures = world.reported('failed').length;
  assert.ok(failures >= 5 && failures <= 20, `${failures} failures in 200 seconds`);
  assert.equal((await world.state(root)).nodes.size, 21);
  world.disk.full = false;
  await world.settle(60_000);
  await world.assertWritten();
});

/** Every file keeps one time, whichever program writes it. */
function stopTime(files: NodeFilesPort): NodeFilesPort {
  return {
    ...files,
    stamp: async (path) => {
      const stamp = await files.stamp(path);
      return stamp && { ...stamp, mtime: 1 };
    },
    stampAll: async (folder) =>
      new Map(Array.from(await files.stampAll(folder), ([name, stamp]) => [name, { ...stamp, mtime: 1 }])),
  };
}

test('[NW32] bytes that have changed though size and time have not are found by a check that reads every file', async () => {
  const world = await FilesWorld.create({ plant: stopTime });
  const root = await world.createRoot();
  await world.say(root, root, 'hello');
  await world.settle();
  await world.edit(`${root}/nodes/node-1.json`, 'root_id', 'roOt_id');
  await world.settle();
  await assert.rejects(world.assertWritten());
  await world.files.recheckRoot(root);
  await world.settle();
  await world.assertWritten();
  assert.equal((await world.files.quarantined()).length, 1);
});

for (const found of ['by a thorough check', 'before the file is replaced'] as const) {
  test(`[NW38] other bytes with the same size and time, found ${found}, are damage and no edit`, async () => {
    const world = await FilesWorld.create({ plant: stopTime });
    const root = await world.createRoot();
    const first = await world.say(root, root, 'the quick fox');
    expect(await world.forest.markRoot(world.request(), root, { title: 'Foxes' }));
    await world.settle();
    const files = [`${root}/nodes/node-1.json`, `${root}/root.json`];
    await world.edit(files[0] ?? '', 'quick', 'puick');
    await world.edit(files[1] ?? '', 'Foxes', 'Boxes');
    if (found === 'by a thorough check') await world.files.recheckRoot(root);
    else await world.say(root, first, 'a child', 'assistant');
    await world.settle();
    assert.equal(await world.text(root, first), 'the quick fox');
    await world.assertWritten();
    assert.deepEqual(world.reported('merged'), []);
    const kept = await world.files.quarantined();
    assert.deepEqual(
      kept.map(({ file, reason }) => [file, reason]),
      files.map((file) => [file, 'damaged']),
    );
  });
}

test('[NW13] a file that belongs to no node is left alone, told of once, and its name given to no node', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const first = await world.say(root, root, 'hello');
  await world.settle();
  const foreign = [`${root}/nodes/node-50.json`, `${root}/nodes/mine.json`];
  for (const path of foreign) await world.save(path, '{}');
  await world.settle();
  assert.equal(await world.say(root, first, 'hi', 'assistant'), `${root}/node-51`);
  await world.shutDown();
  await world.save(`${root}/nodes/node-70.json`, '{}');
  await world.boot();
  await world.files.checkRoot(root);
  assert.equal(await world.say(root, first, 'high', 'assistant'), `${root}/node-71`);
  await world.settle(700_000);
  for (const path of foreign) assert.equal(await world.read(path), '{}');
  assert.deepEqual(await world.files.quarantined(), []);
  assert.equal(world.reported('unknown').length, 5);
});

test('[NW33] what the watch does not tell of is found by looking from time to time', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const first = await world.say(root, root, 'hello');
  await world.settle();
  world.process.changed.clear();
  await world.edit(`${root}/nodes/node-1.json`, 'hello', 'hello you');
  await world.remove(`${root}/root.json`);
  await world.settle(5 * 60_000);
  assert.equal(await world.text(root, first), 'hello you');
  await world.assertWritten();
});

test('[NW36] a caller that waits for many files hears how many are left, one that waits for few hears nothing', async () => {
  const world = await FilesWorld.create();
  const root = await world.createRoot();
  const messages = (many: number): Message[] =>
    Array.from({ length: many }, (_, index) => ({
      role: 'user',
      content: [{ type: 'text', text: `${index} of ${many}` }],
    }));
  expect(await world.forest.append(world.request(), root, { parent: root, messages: messages(1000) }));
  await world.files.flush();
  assert.deepEqual(world.reported('writing'), []);
  expect(await world.forest.append(world.request(), root, { parent: root, messages: messages(2500) }));
  await world.files.flush();
  const left = world.reported('writing').map((report) => (report.type === 'writing' ? report.left : 0));
  assert.equal(left.length, 2, left.join(', '));
  assert.ok(
    left.every((count, index) => count > 1024 && count <= 2502 - index * 1024),
    left.join(', '),
  );
});

test('[NW42] a conversation can be read while the files of others wait for the disk', async () => {
  const open = Promise.withResolvers<void>();
  let isHeld = false;
  const world = await FilesWorld.create({
    plant: (files) => ({
      ...files,
      rename: async (from, to) => {
        if (isHeld) await open.promise;
        return files.rename(from, to);
      },
    }),
  });
  const roots: string[] = [];
  for (let count = 0; count < 6; count += 1) roots.push(await world.createRoot(`Talk ${count}`));
  isHeld = true;
  // All of them need writing; four are under way at a time, and none of them ends.
  await world.settle();
  const last = roots.at(-1) ?? '';
  let isChecked = false;
  void world.files.checkRoot(last).then(() => (isChecked = true));
  await world.settle(0);
  assert.ok(isChecked);
  open.resolve();
  await world.settle();
  await world.assertWritten();
});
