import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createMemoryStore, withFaults } from '@loom/stores/memory';
import { BlockTools } from '../block-tools/block-tools.ts';
import { StoreError } from '../store.ts';
import type { Store } from '../store.ts';
import { Forest } from './forest.ts';
import { visibleState, wholeState } from './testing/observation.ts';
import { assistant, calling, result, user } from './testing/test-root.ts';
import type { Outcome, RefusalReason } from '../refusal.ts';

let requests = 0;

function request(agent = 'anna'): { agent: string; id: string } {
  requests += 1;
  return { agent, id: `request-${requests}` };
}

function openForest(store: Store = createMemoryStore(), name = 'x'): Forest {
  let [time, ids] = [1_700_000_000_000, 0];
  const clock = { now: () => (time += 1000), after: () => () => {} };
  const next = () => `${name}${String((ids += 1)).padStart(3, '0')}`;
  return new Forest({ store, clock, ids: { next } });
}

async function done<T>(outcome: Promise<Outcome<T>>): Promise<T> {
  const settled = await outcome;
  if (!settled.ok) assert.fail(JSON.stringify(settled.refusal));
  return settled.value;
}

async function refused(outcome: Promise<{ ok: boolean }>, reason: RefusalReason): Promise<void> {
  const settled = await outcome;
  assert.equal(
    'refusal' in settled && JSON.stringify(settled.refusal).includes(`"${reason}"`),
    true,
    JSON.stringify(settled),
  );
}

async function rootWith(forest: Forest, ...texts: string[]): Promise<{ root: string; leaf: string }> {
  const { root } = await done(forest.createRoot(request()));
  const messages = texts.map((text, index) => (index % 2 === 0 ? user(text) : assistant(text)));
  const { nodes } = await done(forest.append(request(), root, { parent: root, messages }));
  return { root, leaf: nodes.at(-1) ?? root };
}

test('[FR10] a root is made once per request and is never listed empty', async () => {
  const store = createMemoryStore();
  const forest = openForest(store);
  const asked = request();
  const first = await done(forest.createRoot(asked, { systemPrompt: 'Be brief.' }));
  assert.deepEqual(await done(forest.createRoot(asked)), first);
  assert.deepEqual(await forest.roots(), [first.root]);
  assert.deepEqual(await store.logs(), ['forest', first.root]);
  assert.deepEqual((await forest.log(first.root).state()).config, { systemPrompt: 'Be brief.' });
});

test('[FR11] there is one root per config, whatever the order of its keys', async () => {
  const forest = openForest();
  const { root } = await done(forest.getOrCreateRoot(request(), { systemPrompt: 'p', model: { a: 1, b: 2 } }));
  assert.deepEqual(await done(forest.getOrCreateRoot(request(), { model: { b: 2, a: 1 }, systemPrompt: 'p' })), {
    root,
  });
  assert.notEqual((await done(forest.getOrCreateRoot(request(), { systemPrompt: 'q' }))).root, root);
  assert.notEqual((await done(forest.createRoot(request(), { systemPrompt: 'p' }))).root, root);
});

test('[FR11] of several callers that make it at once one wins, and the others are never listed', async () => {
  const store = createMemoryStore();
  const forests = ['a', 'b', 'c'].map((name) => openForest(store.share(), name));
  const made = await Promise.all(
    forests.map((forest) => done(forest.getOrCreateRoot(request(), { systemPrompt: 'p' }))),
  );
  assert.equal(new Set(made.map(({ root }) => root)).size, 1);
  for (const forest of forests) assert.deepEqual(await forest.roots(), [made[0]?.root]);
});

test('[FR11] a deleted root is not found: another one takes its place', async () => {
  const forest = openForest();
  const { root } = await done(forest.getOrCreateRoot(request(), { systemPrompt: 'p' }));
  await done(forest.removeRoot(request(), root));
  const second = await done(forest.getOrCreateRoot(request(), { systemPrompt: 'p' }));
  assert.notEqual(second.root, root);
  assert.deepEqual(await done(forest.getOrCreateRoot(request(), { systemPrompt: 'p' })), second);
});

test('[FR12] roots are listed with title, tags, times and the number of nodes that can be seen', async () => {
  const forest = openForest();
  const { root, leaf } = await rootWith(forest, 'a', 'b', 'c');
  await done(forest.markRoot(request(), root, { title: 'about a', tags: ['x'] }));
  await done(forest.remove(request(), root, { node: leaf, children: 'remove' }));
  const [summary] = await forest.listRoots();
  const { created, updated, ...rest } = summary ?? assert.fail('there is a root');
  assert.deepEqual(rest, {
    id: root,
    title: 'about a',
    opening: 'a',
    tags: ['x'],
    config: {},
    nodes: 2,
    branches: 1,
    leaves: [`${root}/node-2`],
    bookmarks: [],
    running: [],
    needs: [],
    usage: { input_tokens: 0, output_tokens: 0 },
    spent: [],
    deleted: false,
  });
  assert.ok(updated > created);
});

test('[FR13] a root is deleted and restored; while it is deleted nothing is changed in it', async () => {
  const forest = openForest();
  const { root, leaf } = await rootWith(forest, 'a');
  await done(forest.bookmark(request(), root, { node: leaf, title: 'keep' }));
  await refused(forest.removeRoot(request(), root), 'bookmarked');
  await done(forest.bookmark(request(), root, { node: leaf, title: null }));
  await done(forest.removeRoot(request(), root));
  assert.deepEqual(await forest.listRoots(), []);
  assert.deepEqual(
    (await forest.listRoots({ deleted: true })).map(({ id }) => id),
    [root],
  );
  await refused(forest.append(request(), root, { parent: root, messages: [user('x')] }), 'root-deleted');
  const before = (await forest.log(root).state()).seq;
  await refused(forest.undo(request(), root, 2), 'root-deleted');
  await refused(forest.redo(request(), root), 'nothing-to-undo');
  assert.equal((await forest.log(root).state()).seq, before);
  await done(forest.undo(request(), root));
  assert.equal((await forest.log(root).state()).deleted, false, 'the deletion itself can be undone');
  await done(forest.removeRoot(request(), root));
  await done(forest.restoreRoot(request(), root));
  await done(forest.append(request(), root, { parent: root, messages: [user('x')] }));
  await refused(
    forest.append(request(), 'root-none', { parent: 'root-none', messages: [user('x')] }),
    'root-not-found',
  );
});

test('[FR14] every operation is one change, answered again when its request is repeated', async () => {
  const forest = openForest();
  const { root, leaf } = await rootWith(forest, 'one two', 'yes', 'more');
  const top = `${root}/node-1`;
  const state = await forest.log(root).state();
  const block = state.nodes.get(leaf)?.blocks[0]?.block_id ?? '';
  const operations = [
    (asked: { agent: string; id: string }) =>
      forest.editNode(asked, root, { node: top, content: 'one', mode: 'split' }),
    (asked: { agent: string; id: string }) => forest.editBlock(asked, root, { block, text: 'more!' }),
    (asked: { agent: string; id: string }) => forest.merge(asked, root, top),
    (asked: { agent: string; id: string }) => forest.fork(asked, root, { block }),
    (asked: { agent: string; id: string }) => forest.markNode(asked, root, { node: leaf, title: 't' }),
    (asked: { agent: string; id: string }) => forest.move(asked, root, { node: leaf, parent: root }),
    (asked: { agent: string; id: string }) => forest.removeSiblings(asked, root, leaf),
    (asked: { agent: string; id: string }) => forest.restore(asked, root, top),
    (asked: { agent: string; id: string }) => forest.removeChildren(asked, root, root),
    (asked: { agent: string; id: string }) => forest.undo(asked, root),
    (asked: { agent: string; id: string }) => forest.redo(asked, root),
  ];
  for (const [index, operation] of operations.entries()) {
    const asked = request();
    const { seq } = await forest.log(root).cursor();
    const first = await operation(asked);
    assert.ok(first.ok, `${index}: ${JSON.stringify(first)}`);
    const after = await forest.log(root).cursor();
    assert.equal(after.seq, seq + Number(index !== 3), `operation ${index}`);
    if (index !== 3) assert.deepEqual(await operation(asked), first);
    assert.deepEqual(await forest.log(root).cursor(), after);
  }
});

test('[FR66] a move to another root is a copy there and a deletion here', async () => {
  const forest = openForest();
  const from = await rootWith(forest, 'a', 'b', 'c');
  const to = await rootWith(forest, 'x');
  const middle = `${from.root}/node-2`;
  const asked = request();
  const place = { root: to.root, parent: to.leaf };
  const moved = await done(forest.moveToRoot(asked, { root: from.root, node: middle }, place));
  assert.deepEqual(moved, { node: `${to.root}/node-2`, removed: true });
  const [source, target] = [await forest.log(from.root).state(), await forest.log(to.root).state()];
  assert.equal(source.index.liveChildCount(`${from.root}/node-1`), 0);
  const copies = ['2', '3'].map((number) => target.nodes.get(`${to.root}/node-${number}`)?.blocks[0]);
  assert.deepEqual(
    copies.map((block) => [block?.type === 'text' && block.text, block?.from?.block]),
    [
      ['b', `${from.root}/@anna/2`],
      ['c', `${from.root}/@anna/3`],
    ],
  );
  assert.deepEqual(await done(forest.moveToRoot(asked, { root: from.root, node: middle }, place)), moved);
  assert.equal(target.nodes.size, 3);
});

test('[FR66] a move to another root that was interrupted is finished by repeating it', async () => {
  const memory = createMemoryStore();
  const steady = openForest(memory);
  const from = await rootWith(steady, 'a', 'b');
  const to = await rootWith(steady, 'x');
  const faulty = openForest(withFaults(memory.share(), ({ number }) => (number === 2 ? 'fail-before' : undefined)));
  const asked = request();
  const move = (forest: Forest) =>
    forest.moveToRoot(asked, { root: from.root, node: `${from.root}/node-1` }, { root: to.root, parent: to.root });
  await assert.rejects(move(faulty));
  assert.equal((await steady.log(to.root).state()).nodes.size, 3);
  assert.equal((await steady.log(from.root).state()).nodes.get(`${from.root}/node-1`)?.deleted, undefined);
  assert.deepEqual(await done(move(faulty)), { node: `${to.root}/node-2`, removed: true });
  assert.equal((await steady.log(to.root).state()).nodes.size, 3);
  assert.equal((await steady.log(from.root).state()).nodes.get(`${from.root}/node-1`)?.deleted, true);
});

test('[FR66] what is protected, or would lose its call, is not moved to another root', async () => {
  const forest = openForest();
  const { root, leaf } = await rootWith(forest, 'a');
  const to = await rootWith(forest, 'x');
  const messages = [calling('look', 'c1'), result('c1')];
  const { nodes } = await done(forest.append(request(), root, { parent: leaf, messages }));
  const place = { root: to.root, parent: to.root };
  await refused(forest.moveToRoot(request(), { root, node: nodes[1] ?? '' }, place), 'results-need-calls');
  await done(forest.bookmark(request(), root, { node: nodes[1] ?? '', title: 'keep' }));
  await refused(forest.moveToRoot(request(), { root, node: nodes[0] ?? '' }, place), 'bookmarked');
  await refused(forest.moveToRoot(request(), { root, node: `${root}/node-9` }, place), 'node-not-found');
  assert.equal((await forest.log(to.root).state()).nodes.size, 1);
});

test('[FR15] a damaged root is listed as such, and hinders no reader of the others', async () => {
  const store = createMemoryStore();
  const before = openForest(store.share());
  const one = await rootWith(before, 'a', 'b');
  const two = await rootWith(before, 'a needle', 'b', 'c');
  const three = await rootWith(before, 'x needle');
  const handle = store.share();
  const read = handle.read.bind(handle);
  Reflect.set(handle, 'read', async (log: string, ...range: [number, number?]) => {
    const contents = await read(log, ...range);
    const records = contents?.records.map(({ seq, text }) => ({ seq, text: text.replace('needle', 'noodle') }));
    return contents && log === two.root ? { ...contents, records } : contents;
  });
  const forest = openForest(handle, 'y');
  assert.equal((await forest.listRoots())[1]?.nodes, 3, 'heads are no logs');
  await assert.rejects(forest.log(two.root).state(), StoreError);
  assert.equal(await forest.stateUnlessDamaged(two.root), undefined);
  const roots = await forest.listRoots();
  assert.deepEqual(
    roots.map(({ id, nodes, damaged }) => [id, nodes, damaged !== undefined]),
    [
      [one.root, 2, false],
      [two.root, 0, true],
      [three.root, 1, false],
    ],
  );
  assert.ok((roots[1]?.created ?? 0) > (roots[0]?.created ?? 0));
  assert.match(roots[1]?.damaged ?? '', /checksum/u);
  assert.deepEqual([...forest.damaged.keys()], [two.root]);
  const named = async (text: string) => {
    const resolved = await forest.resolve(text);
    return resolved.ok ? resolved.value.node : resolved.refusal.reason;
  };
  assert.deepEqual([await named('node-2'), await named(two.root)], [one.leaf, two.root]);
  await assert.rejects(forest.resolve('node-3'), StoreError);
  await assert.rejects(forest.log(two.root).state(), StoreError);
  const tools = new BlockTools({ forest, ids: { next: () => 'id' } });
  const found = await tools.searchAll({ query: 'needle', kinds: ['text'] });
  assert.ok('blocks' in found);
  assert.deepEqual([found.blocks.length, found.truncated], [1, true]);
  assert.equal((await rootWith(forest, 'more')).leaf.endsWith('/node-1'), true);
});

test('[FR15] a root whose log may not be read is left out as a damaged one is; any other failure reaches every reader', async () => {
  const store = createMemoryStore();
  const before = openForest(store.share());
  const one = await rootWith(before, 'a', 'b');
  const two = await rootWith(before, 'c');
  const failing = (code: StoreError['code']) => {
    const handle = store.share();
    const read = handle.read.bind(handle);
    Reflect.set(handle, 'read', async (log: string, ...range: [number, number?]) => {
      if (log === one.root) throw new StoreError(code, 'not this one', 'Ask.');
      return read(log, ...range);
    });
    return openForest(handle, 'y');
  };
  const forest = failing('store-denied');
  assert.equal(await forest.stateUnlessDamaged(one.root), undefined);
  assert.deepEqual(
    (await forest.listRoots()).map(({ id, damaged }) => [id, damaged]),
    [
      [one.root, 'not this one'],
      [two.root, undefined],
    ],
  );
  assert.equal(forest.damaged.get(one.root)?.code, 'store-denied');
  await assert.rejects(forest.log(one.root).state(), { code: 'store-denied' });
  for (const code of ['store-failed', 'store-newer', 'store-locked'] as const) {
    await assert.rejects(failing(code).stateUnlessDamaged(one.root), { code });
  }
});

test('[FR115] short ids: the number or name of a node in the current root, the end of an id anywhere', async () => {
  const forest = openForest();
  const one = await rootWith(forest, 'a', 'b');
  const two = await rootWith(forest, 'x');
  const find = async (text: string, root?: string) => {
    const resolved = await forest.resolve(text, root);
    if (resolved.ok) return resolved.value.node;
    const { refusal } = resolved;
    return [refusal.reason, ...(refusal.reason === 'ambiguous-id' ? refusal.ids : [])];
  };
  assert.equal(await find(one.leaf), one.leaf);
  assert.equal(await find('node-1', two.root), two.leaf);
  assert.equal(await find('2', one.root), one.leaf);
  assert.equal(await find('node-2'), one.leaf);
  assert.equal(await find(`${two.root.slice(-3)}/node-1`), two.leaf);
  assert.equal(await find(two.root.slice(-3)), two.root);
  assert.equal(await find(one.root), one.root);
  assert.deepEqual(await find('node-1'), ['ambiguous-id', `${one.root}/node-1`, two.leaf]);
  assert.deepEqual(await find('node-9'), ['node-not-found']);
  assert.deepEqual(await find(''), ['node-not-found']);
  await done(forest.removeRoot(request(), one.root));
  assert.equal(await find('node-1'), two.leaf);
  assert.equal(await find(one.leaf), one.leaf);
});

test('[FR115] a root whose id happens to end like the number of a node is not meant by the number', async () => {
  let ids = 0;
  // As random ids do now and then, these end in a number that nodes have too.
  const next = () => `${(ids += 1)}x2`;
  const clock = { now: () => 1_700_000_000_000, after: () => () => {} };
  const forest = new Forest({ store: createMemoryStore(), clock, ids: { next } });
  const { root, leaf } = await rootWith(forest, 'a', 'b');
  const find = async (text: string) => {
    const resolved = await forest.resolve(text);
    return resolved.ok ? resolved.value.node : resolved.refusal.reason;
  };
  assert.deepEqual([await find('2'), await find('x2'), await find(root)], [leaf, root, root]);
  const two = await rootWith(forest, 'x');
  assert.deepEqual([await find('2'), await find('x2'), await find(two.root)], [leaf, 'ambiguous-id', two.root]);
});

test('[FR120] what several kernels wrote is the same for each of them, and after a reload', async () => {
  const store = createMemoryStore();
  const [a, b] = [openForest(store.share(), 'a'), openForest(store.share(), 'b')];
  const { root, leaf } = await rootWith(a, 'one two', 'yes', 'more');
  const top = `${root}/node-1`;
  await Promise.all([
    a.editNode(request('anna'), root, { node: top, content: 'one three', mode: 'split' }),
    b.editNode(request('bert'), root, { node: leaf, content: 'less' }),
    b.append(request('bert'), root, { parent: `${root}/node-2`, messages: [user('beside')] }),
    a.undo(request('anna'), root),
  ]);
  const states = await Promise.all([a, b, openForest(store.share())].map((forest) => forest.log(root).state()));
  const [first] = states;
  for (const state of states) assert.deepEqual(wholeState(state), wholeState(first ?? state));
  for (const state of states) assert.deepEqual(visibleState(state), visibleState(first ?? state));
});
