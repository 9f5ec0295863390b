import assert from 'node:assert/strict';
import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { test } from 'node:test';
import { StoreError } from '@loom/kernel/store';
import type { Store } from '@loom/kernel/store';
import { adoptDirectory } from './adopting-store.ts';
import { openAdoptingReader, openAdoptingStore, readDirectory } from '@loom/node-files';
import { createMemoryStore, withFaults } from '@loom/stores/memory';
import { FileLedger, sumOf } from '../file-ledger.ts';
import { NodeFiles } from '../node-files.ts';
import { digestRootFiles, digestRootLog } from './root-digest.ts';
import { makeDirectory, makeForest, nodeOf, photograph, rootOf, stillClock } from '../testing/legacy-directory.ts';

const at = (minute: number): { metadata: { timestamp: string } } => ({
  metadata: { timestamp: `2025-07-01T00:${String(minute).padStart(2, '0')}:00.000Z` },
});

/** Two roots, the first with a branch and an older split. */
const twoRoots: Record<string, unknown> = {
  'roots.json': [
    rootOf('root-2', ['root-2/node-1'], { config: {}, deleted: true }),
    rootOf('root-1', ['root-1/node-1'], { config: { systemPrompt: 'Be brief.', model: 'gpt' }, note: 'mine' }),
  ],
  'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', ['root-1/node-2', 'root-1/node-3'], at(1)),
  'root-1/nodes/node-2.json': nodeOf('root-1/node-2', 'root-1/node-1', [], {
    message: {
      role: 'assistant',
      content: 'calling',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
    },
    metadata: { ...at(9).metadata, tags: ['x'], custom_data: { k: 1 }, odd: true },
  }),
  'root-1/nodes/node-3.json': nodeOf('root-1/node-3', 'root-1/node-1', [], at(3)),
  'root-2/nodes/node-1.json': nodeOf('root-2/node-1', 'root-2', [], at(4)),
};

const adopt = (directory: string, store: Store = createMemoryStore()) =>
  adoptDirectory({ store, directory, clock: stillClock });

test('[NA1] roots, nodes and blocks have the ids that the directory gives them, in its order', async (t) => {
  const store = createMemoryStore();
  const { roots, problems } = await adopt(makeDirectory(t, twoRoots), store);
  assert.deepEqual(roots, [
    { root: 'root-2', nodes: 1, wasKnown: false },
    { root: 'root-1', nodes: 3, wasKnown: false },
  ]);
  assert.deepEqual(problems, []);
  const forest = makeForest(store);
  assert.deepEqual(await forest.roots(), ['root-2', 'root-1']);
  const state = await forest.log('root-1').state();
  assert.deepEqual(state.children.get('root-1/node-1'), ['root-1/node-2', 'root-1/node-3']);
  assert.deepEqual(
    state.nodes.get('root-1/node-2')?.blocks.map(({ type, block_id, status }) => [type, block_id, status]),
    [
      ['text', 'root-1/@node-2/0', 'done'],
      ['tool-use', 'root-1/@node-2/1', 'done'],
    ],
  );
  const added = await forest.append({ agent: 'person', id: 'r' }, 'root-1', {
    parent: 'root-1/node-3',
    messages: [{ role: 'user', content: [{ type: 'text', text: 'on' }] }],
  });
  assert.deepEqual(added.ok && added.value.created, ['root-1/node-4']);
});

test('[NA2] adoption changes no file and adds none, however damaged the directory is', async (t) => {
  const directory = makeDirectory(t, {
    ...twoRoots,
    'config.toml': 'currentNodeId = "root-1/node-1"\n',
    'root-1/nodes/node-7.json': '{ torn',
    'root-1/nodes/node-1.json.backup-migration-node-1': 'old',
    'root-3/nodes/node-1.json': nodeOf('root-9/node-1', 'nobody'),
  });
  const before = photograph(directory);
  const { problems } = await adopt(directory);
  assert.ok(problems.length >= 4);
  assert.deepEqual(photograph(directory), before);
});

test('[NA2] [NA10] keeping node files beside adopted logs changes no file, until a node changes', async (t) => {
  const directory = makeDirectory(t, { ...twoRoots, 'root-1/nodes/node-12.json': '{ torn' });
  const before = photograph(directory);
  const opened = await openAdoptingStore({ store: createMemoryStore(), directory, clock: stillClock });
  const forest = makeForest(opened.store);
  const keep = async (): Promise<NodeFiles> => {
    const files = await NodeFiles.open({ directory, forest, store: opened.store, clock: stillClock });
    for (const root of await forest.roots()) await files.checkRoot(root);
    return files;
  };
  await (await keep()).close();
  assert.deepEqual([...photograph(directory)], [...before]);

  const files = await keep();
  const marked = await forest.markNode({ agent: 'person', id: 'r' }, 'root-1', { node: 'root-1/node-3', title: 'New' });
  assert.ok(marked.ok);
  await files.close();
  const after = photograph(directory);
  assert.notEqual(after.get('root-1/nodes/node-3.json'), before.get('root-1/nodes/node-3.json'));
  for (const name of ['node-2', 'node-12']) {
    const path = `root-1/nodes/${name}.json`;
    assert.equal(after.get(path), before.get(path), path);
  }
});

test('[NA3] a bare id is the only node of that name, else its candidates are named', async (t) => {
  const store = createMemoryStore();
  await adopt(makeDirectory(t, { ...twoRoots, 'roots.json': [rootOf('root-1', []), rootOf('root-2', [])] }), store);
  const forest = makeForest(store);
  assert.deepEqual(await forest.resolve('node-3'), { ok: true, value: { root: 'root-1', node: 'root-1/node-3' } });
  const several = await forest.resolve('node-1');
  assert.ok(!several.ok && several.refusal.reason === 'ambiguous-id');
  assert.deepEqual(several.refusal.ids, ['root-1/node-1', 'root-2/node-1']);
});

test('[NA4] nodes keep their times, and the last thing said is the last change', async (t) => {
  const store = createMemoryStore();
  await adopt(makeDirectory(t, twoRoots), store);
  const state = await makeForest(store).log('root-1').state();
  const time = (node: string) => new Date(state.nodes.get(`root-1/${node}`)?.time ?? 0).toISOString().slice(11, 16);
  assert.deepEqual(['node-1', 'node-2', 'node-3'].map(time), ['00:01', '00:09', '00:03']);
  assert.equal(new Date(state.created).toISOString(), '2025-07-01T00:00:00.000Z');
  assert.equal(new Date(state.updated).toISOString(), '2025-07-01T00:09:00.000Z');
});

test('[NA4] a right half that is older than its left half still comes behind it', async (t) => {
  const store = createMemoryStore();
  await adopt(
    makeDirectory(t, {
      'root-1/nodes/a.json': nodeOf('root-1/a', 'root-1', ['root-1/b'], at(5)),
      'root-1/nodes/b.json': nodeOf('root-1/b', 'root-1/a', [], at(2)),
    }),
    store,
  );
  const state = await makeForest(store).log('root-1').state();
  assert.deepEqual([...state.nodes.keys()], ['root-1/a', 'root-1/b']);
  assert.equal(state.nodes.get('root-1/b')?.time, Date.parse(at(2).metadata.timestamp));
});

test('[NA5] what the files say is adopted, and kept once', async (t) => {
  const store = createMemoryStore();
  const directory = makeDirectory(t, twoRoots);
  const bookmarks = [
    { node: 'root-1/node-3', title: 'here' },
    { node: 'node-1', root: 'root-1', title: 'top' },
    { node: 'root-1/node-99', title: 'nowhere' },
  ];
  await adoptDirectory({ store, directory, clock: stillClock, bookmarks: () => Promise.resolve(bookmarks) });
  const forest = makeForest(store);
  const state = await forest.log('root-1').state();
  assert.deepEqual(state.config, { systemPrompt: 'Be brief.', model: 'gpt', loom_legacy: { note: 'mine' } });
  assert.deepEqual(
    [...state.bookmarks],
    [
      ['root-1/node-1', 'top'],
      ['root-1/node-3', 'here'],
    ],
  );
  const node = state.nodes.get('root-1/node-2');
  assert.deepEqual([node?.tags, node?.custom_data], [['x'], { k: 1, loom_legacy: { metadata: { odd: true } } }]);
  assert.equal(Object.hasOwn(state.nodes.get('root-1/node-1') ?? {}, 'custom_data'), false);
  assert.equal((await forest.log('root-2').state()).deleted, true);
  assert.deepEqual(
    (await forest.listRoots()).map(({ id }) => id),
    ['root-1'],
  );
});

test('[NA6] adopting twice is adopting once, with one process after the other and with two at a time', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const store = createMemoryStore();
  await Promise.all([adopt(directory, store.share()), adopt(directory, store.share())]);
  const contents = await contentsOf(store);
  assert.deepEqual((await adopt(directory, store)).roots, []);
  assert.deepEqual(await contentsOf(store), contents);
  const alone = createMemoryStore();
  await adopt(directory, alone);
  assert.deepEqual(await contentsOf(alone), contents);
});

test('[NA6] after any write that fails, done or not, the next process ends with the same logs', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const whole = createMemoryStore();
  await adopt(directory, whole);
  const expected = await contentsOf(whole);
  let failures = 0;
  for (const fault of ['fail-before', 'fail-after'] as const) {
    for (let at = 1; at <= 3; at += 1) {
      const store = createMemoryStore();
      const failing = withFaults(store, ({ number }) => (number === at ? fault : undefined));
      await assert.rejects(adopt(directory, failing));
      failures += 1;
      await adopt(directory, store);
      assert.deepEqual(await contentsOf(store), expected, `${fault} at ${at}`);
    }
  }
  assert.equal(failures, 6);
});

test('[NA7] opening reads no node; a root is adopted when it is first read', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const inner = createMemoryStore();
  const { store, adoption } = await openAdoptingStore({ store: inner, directory, clock: stillClock });
  const forest = makeForest(store);
  assert.deepEqual(await forest.roots(), ['root-2', 'root-1']);
  assert.deepEqual(adoption.roots, []);
  assert.deepEqual(await inner.logs(), ['forest']);
  assert.equal((await forest.log('root-1').state()).nodes.size, 3);
  assert.deepEqual(
    adoption.roots.map(({ root }) => root),
    ['root-1'],
  );
  assert.deepEqual(await inner.logs(), ['forest', 'root-1']);
  // A write comes after the content of the files, too.
  const marked = await forest.markRoot({ agent: 'person', id: 'r' }, 'root-1', { title: 'First' });
  assert.ok(marked.ok);
  const deleted = await forest.restoreRoot({ agent: 'person', id: 'r' }, 'root-2');
  assert.ok(deleted.ok);
  assert.equal((await forest.log('root-2').state()).nodes.size, 1);
});

test('[NA7] a root that is made anew is made without a look at the directory', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const { store, adoption } = await openAdoptingStore({ store: createMemoryStore(), directory, clock: stillClock });
  rmSync(directory, { recursive: true });
  writeFileSync(directory, 'no directory any more');
  const forest = makeForest(store);
  const made = await forest.createRoot({ agent: 'person', id: 'r' }, {});
  assert.ok(made.ok);
  assert.deepEqual([(await forest.roots()).length, adoption.roots], [3, []]);
});

test('[NA7] the next process goes on where the last one had adopted a part', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const inner = createMemoryStore();
  const first = await openAdoptingStore({ store: inner.share(), directory, clock: stillClock });
  await first.adoption.settle('root-1');
  const second = await openAdoptingStore({ store: inner, directory, clock: stillClock });
  assert.equal((await makeForest(second.store).log('root-2').state()).nodes.size, 1);
  assert.deepEqual(
    second.adoption.roots.map(({ root }) => root),
    ['root-2'],
  );
});

test('[NA27] without their list roots are found by their files, and keep their logs', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const before = createMemoryStore();
  await adopt(directory, before);
  const after = createMemoryStore();
  for (const root of ['root-1', 'root-2']) {
    const { records = [] } = (await before.read(root, 0)) ?? {};
    await after.append(root, { epoch: undefined, expectedSeq: 0, records });
  }
  const epochs = async (): Promise<unknown[]> =>
    Promise.all(['root-1', 'root-2'].map(async (root) => (await after.read(root, 0))?.epoch));
  const kept = await epochs();
  const { roots } = await adopt(directory, after);
  assert.deepEqual(roots, [], 'nothing was adopted');
  assert.deepEqual(await makeForest(after).roots(), ['root-2', 'root-1']);
  assert.deepEqual(await epochs(), kept);
});

test('[NA27] where there is a list, a log that it does not name stays unlisted', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const before = createMemoryStore();
  await adopt(directory, before);
  const after = createMemoryStore();
  const { records = [] } = (await before.read('root-1', 0)) ?? {};
  await after.append('root-1', { epoch: undefined, expectedSeq: 0, records });
  const { records: list = [] } = (await before.read('forest', 0, 1)) ?? {};
  await after.append('forest', { epoch: undefined, expectedSeq: 0, records: list });
  await adopt(directory, after);
  assert.deepEqual(await makeForest(after).roots(), ['root-2']);
});

test('[NA8] an unreadable node is reported, the others open, and its number is not used again', async (t) => {
  const store = createMemoryStore();
  const { problems } = await adopt(
    makeDirectory(t, {
      ...twoRoots,
      'root-1/nodes/node-12.json': '{ torn',
      'root-2/nodes/node-30.json.backup-1': 'old',
    }),
    store,
  );
  const codes = problems.map(({ code }) => code).toSorted();
  assert.deepEqual(codes, ['child-list-repaired', 'file-ignored', 'node-json-invalid']);
  const forest = makeForest(store);
  await forest.restoreRoot({ agent: 'person', id: 'r' }, 'root-2');
  for (const [root, number] of [
    ['root-1', 12],
    ['root-2', 30],
  ] as const) {
    const added = await forest.append({ agent: 'person', id: `in ${root}` }, root, {
      parent: root,
      messages: [{ role: 'user', content: [{ type: 'text', text: 'new' }] }],
    });
    assert.ok(added.ok);
    assert.ok(Number(added.value.created[0]?.split('-').at(-1)) > number);
  }
});

test('[NA9] files that come later are adopted, and reported', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const store = createMemoryStore();
  await adopt(directory, store);
  const write = (path: string, value: unknown) => writeFileSync(join(directory, path), JSON.stringify(value));
  write('root-1/nodes/node-4.json', nodeOf('root-1/node-4', 'root-1/node-3', [], at(20)));
  const { roots } = await adopt(directory, store);
  assert.deepEqual(roots, [{ root: 'root-1', nodes: 1, wasKnown: true }]);
  const state = await makeForest(store).log('root-1').state();
  assert.equal(state.nodes.get('root-1/node-4')?.parent, 'root-1/node-3');
  // A process that only asks for the root finds it as well.
  write('root-1/nodes/node-5.json', nodeOf('root-1/node-5', 'root-1/node-3', [], at(21)));
  const opened = await openAdoptingStore({ store: store.share(), directory, clock: stillClock });
  assert.equal((await makeForest(opened.store).log('root-1').state()).nodes.has('root-1/node-5'), true);
  assert.deepEqual((await adopt(directory, store)).roots, []);
  // Without its ledger the log itself knows its files.
  rmSync(join(directory, 'root-1/nodes/node-1.json'));
  const { epoch } = (await store.read('root-1', 0)) ?? { epoch: '' };
  await store.writeProjection('root-1', 'files', { epoch, seq: 1, base: undefined, put: [], drop: [] });
  assert.deepEqual((await adopt(directory, store)).roots, []);
});

test('[NA9] a link and a folder that come later are no files, wherever they lead', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const store = createMemoryStore();
  await adopt(directory, store);
  mkdirSync(join(directory, 'root-1/nodes/node-7.json'));
  symlinkSync(join(directory, 'root-1/nodes/node-1.json'), join(directory, 'root-1/nodes/node-8.json'));
  const { roots, problems } = await adopt(directory, store);
  assert.deepEqual([roots, problems.filter(({ effect }) => effect === 'unreadable')], [[], []]);
  assert.equal((await makeForest(store).log('root-1').state()).nodes.size, 3);
});

test('[NA9] a file that is mended gets its children back, unless they were moved', async (t) => {
  const middle = nodeOf('root-1/node-2', 'root-1/node-1', ['root-1/node-3', 'root-1/node-4'], at(2));
  const directory = makeDirectory(t, {
    'roots.json': [rootOf('root-1', ['root-1/node-1'])],
    'root-1/nodes/node-1.json': nodeOf('root-1/node-1', 'root-1', ['root-1/node-2'], at(1)),
    'root-1/nodes/node-2.json': { ...middle, message: { role: 'user', content: 7 } },
    'root-1/nodes/node-3.json': nodeOf('root-1/node-3', 'root-1/node-2', [], at(3)),
    'root-1/nodes/node-4.json': nodeOf('root-1/node-4', 'root-1/node-2', [], at(4)),
  });
  const store = createMemoryStore();
  await adopt(directory, store);
  const forest = makeForest(store);
  const before = await forest.log('root-1').state();
  assert.equal(before.nodes.get('root-1/node-3')?.parent, 'root-1/node-1');
  const moved = await forest.move({ agent: 'person', id: 'm' }, 'root-1', { node: 'root-1/node-4', parent: 'root-1' });
  assert.ok(moved.ok);
  writeFileSync(join(directory, 'root-1/nodes/node-2.json'), JSON.stringify(middle));
  assert.equal((await adopt(directory, store)).roots[0]?.nodes, 1);
  const after = await makeForest(store).log('root-1').state();
  const parents = ['node-2', 'node-3', 'node-4'].map((name) => after.nodes.get(`root-1/${name}`)?.parent);
  assert.deepEqual(parents, ['root-1/node-1', 'root-1/node-2', 'root-1']);
});

test('[NA9] a file that is mended where it is, which leaves no trace in its folder, is adopted by the next process', async (t) => {
  const directory = makeDirectory(t, { ...twoRoots, 'root-1/nodes/node-7.json': '{ torn' });
  const store = createMemoryStore();
  const readRoot = async (): Promise<{ names: string[]; unreadable: string[] }> => {
    const opened = await openAdoptingStore({ store: store.share(), directory, clock: stillClock });
    const { nodes } = await makeForest(opened.store).log('root-1').state();
    const unreadable = opened.adoption.problems.filter(({ effect }) => effect === 'unreadable');
    return { names: [...nodes.keys()], unreadable: unreadable.map(({ file }) => basename(file)) };
  };
  const before = await readRoot();
  assert.deepEqual(await readRoot(), before, 'it is told by every process');
  assert.deepEqual(before.unreadable, ['node-7.json']);
  const time = statSync(join(directory, 'root-1/nodes')).mtimeMs;
  const node = nodeOf('root-1/node-7', 'root-1/node-3', [], at(20));
  writeFileSync(join(directory, 'root-1/nodes/node-7.json'), JSON.stringify(node));
  assert.equal(statSync(join(directory, 'root-1/nodes')).mtimeMs, time);
  assert.deepEqual(await readRoot(), { names: [...before.names, 'root-1/node-7'], unreadable: [] });
});

test('[NA28] a root is read although nothing can be noted beside its log', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const store = createMemoryStore();
  for (const process of ['first', 'second']) {
    const handle = store.share();
    const write = handle.writeProjection.bind(handle);
    const failing: Store['writeProjection'] = (log, name, request) =>
      name === 'adopted' ? Promise.reject(new StoreError('store-failed', 'EACCES', '')) : write(log, name, request);
    Reflect.set(handle, 'writeProjection', failing);
    const opened = await openAdoptingStore({ store: handle, directory, clock: stillClock });
    assert.equal((await makeForest(opened.store).log('root-1').state()).nodes.size, 3, process);
  }
  assert.equal(await store.readProjection('root-1', 'adopted'), undefined);
});

test('[NA10] the ledger knows what each adopted file was, and that there is no root.json', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const store = createMemoryStore();
  await adopt(directory, store);
  const ledger = await FileLedger.load(store, 'root-1');
  const state = await makeForest(store).log('root-1').state();
  const names = [...ledger.entries()].map(([name]) => name);
  assert.deepEqual(names.toSorted(), ['nodes/node-1.json', 'nodes/node-2.json', 'nodes/node-3.json', 'root.json']);
  const entry = ledger.get('nodes/node-1.json');
  const bytes = Buffer.from(JSON.stringify(twoRoots['root-1/nodes/node-1.json'], undefined, 2));
  assert.deepEqual([entry?.sum, entry?.size], [sumOf(bytes), bytes.length]);
  assert.equal(entry?.seq, state.nodes.get('root-1/node-1')?.touched);
  assert.deepEqual([ledger.get('root.json')?.sum, ledger.seq], ['', state.seq]);
});

test('[NA11] folders that cannot be roots are reported and left alone', async (t) => {
  const store = createMemoryStore();
  const node = nodeOf('x/node-1', 'x');
  const { roots, problems } = await adopt(
    makeDirectory(t, {
      'forest/nodes/node-1.json': node,
      'blobs/nodes/node-1.json': node,
      '.hidden/nodes/node-1.json': node,
      'with\nbreak/nodes/node-1.json': node,
      'fine/nodes/node-1.json': nodeOf('fine/node-1', 'fine'),
    }),
    store,
  );
  assert.deepEqual(
    roots.map(({ root }) => root),
    ['fine'],
  );
  assert.equal(problems.filter(({ code }) => code === 'root-name-unusable').length, 4);
  assert.deepEqual(await makeForest(store).roots(), ['fine']);
});

test('[NA12] readers see everything, and nothing is written', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const without = await openAdoptingReader(undefined, { store: createMemoryStore(), directory, clock: stillClock });
  assert.deepEqual(
    (await makeForest(without.store).listRoots({ deleted: true })).map(({ nodes }) => nodes),
    [1],
  );

  const logs = createMemoryStore();
  const writer = await openAdoptingStore({ store: logs, directory, clock: stillClock });
  await writer.adoption.settle('root-1');
  const before = await contentsOf(logs);
  const reader = await openAdoptingReader(logs.share(), { store: createMemoryStore(), directory, clock: stillClock });
  const forest = makeForest(reader.store);
  assert.equal((await forest.log('root-1').state()).nodes.size, 3);
  assert.equal((await forest.log('root-2').state()).nodes.size, 1);
  assert.deepEqual(await contentsOf(logs), before);
});

test('[NA12] readers see everything also where a writer was killed before it had listed anything', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const logs = createMemoryStore();
  const reader = await openAdoptingReader(logs.share(), { store: createMemoryStore(), directory, clock: stillClock });
  const listed = await makeForest(reader.store).listRoots({ deleted: true });
  const adopted = createMemoryStore();
  await adopt(directory, adopted);
  assert.deepEqual(listed, await makeForest(adopted).listRoots({ deleted: true }));
  assert.notDeepEqual(listed, []);
  assert.deepEqual(await logs.logs(), []);
});

test('[NA12] [NA29] readers also see roots that came, or were lost, since the others were listed', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const logs = createMemoryStore();
  await adopt(directory, logs);
  const before = await contentsOf(logs);
  mkdirSync(join(directory, 'root-3/nodes'), { recursive: true });
  writeFileSync(
    join(directory, 'root-3/nodes/node-1.json'),
    JSON.stringify(nodeOf('root-3/node-1', 'root-3', [], at(4))),
  );
  const options = { store: createMemoryStore(), directory, clock: stillClock };
  const reader = await openAdoptingReader(logs.share(), options, { findsUnlisted: true });
  const forest = makeForest(reader.store);
  assert.deepEqual(await forest.roots(), ['root-2', 'root-1', 'root-3']);
  assert.equal((await forest.log('root-3').state()).nodes.size, 1);
  assert.equal((await forest.log('root-1').state()).nodes.size, 3);
  assert.deepEqual(await contentsOf(logs), before);
});

test('[NA6] [NA8] what was planted is found: a log that lacks a node or says something else has another digest', async (t) => {
  const directory = makeDirectory(t, twoRoots);
  const store = createMemoryStore();
  await adopt(directory, store);
  const root = (await readDirectory(directory)).roots[1];
  assert.ok(root !== undefined);
  const digest = digestRootLog(await makeForest(store).log('root-1').state());
  assert.deepEqual(digest, digestRootFiles(root));
  assert.notDeepEqual(digest, digestRootFiles({ ...root, nodes: root.nodes.slice(0, 2) }));
  const renamed = root.nodes.map((node) => ({ ...node, title: 'other' }));
  assert.notDeepEqual(digest, digestRootFiles({ ...root, nodes: renamed }));
});

/** Returns everything that a store holds, except for the random epochs. */
async function contentsOf(store: Store): Promise<unknown> {
  const logs = await store.logs();
  return Promise.all(logs.map(async (log) => [log, (await store.read(log, 0))?.records]));
}
