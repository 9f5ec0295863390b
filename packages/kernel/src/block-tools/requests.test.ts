import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { blockTools } from './testing/schema-fields.ts';
import { modelWords } from '../operations/model-words.ts';
import { callTool, createToolWorld, done, isRefused, refused } from './testing/tool-world.ts';
import type { ToolWorld } from './testing/tool-world.ts';

/** Parameters that each tool takes, for a block or for one that does not exist. */
const goodParams: Record<string, (id: string) => Record<string, unknown>> = {
  'block.create': (id) => ({ parent_id: id, role: 'user', kind: 'text', content: 'x' }),
  'block.status': (id) => ({ block_id: id, status: 'done' }),
  'block.append': (id) => ({ block_id: id, text: 'x' }),
  'block.edit': (id) => ({ block_id: id, operations: [{ op: 'insert', line: 0, content: 'x' }], base_version: 1 }),
  'block.splice': (id) => ({ block_id: id, offset: 0, delete_count: 0, insert: 'x' }),
  'block.apply_patch': (id) => ({ block_id: id, patch: '@@ -0,0 +1 @@\n+x\n' }),
  'block.undo': (id) => ({ block_id: id }),
  'block.redo': (id) => ({ block_id: id }),
  'block.read': (id) => ({ block_id: id }),
  'block.search': (id) => ({ block_id: id, query: 'x' }),
  'block.list': (id) => ({ parent_id: id }),
  'block.history': (id) => ({ block_id: id }),
  'block.diff': (id) => ({ block_id: id, from_version: 1 }),
  'block.sync': (id) => ({ versions: [[id, 1]] }),
  'kernel.search': () => ({ query: 'x' }),
  'cursor.set': (id) => ({ block_id: id, anchor: 0 }),
};

/** Refused with this reason, in the form that the tool has for it. */
function assertRefused(name: string, answer: unknown, reason: 'invalid-params' | 'block-not-found', place = ''): void {
  if (name === 'block.apply_patch') {
    const { success, errors } = z
      .object({ success: z.literal(false), errors: z.array(z.string()).min(1) })
      .parse(answer);
    assert.equal(success, false);
    assert.ok(
      errors.some((error) => error.includes(place)),
      errors.join(),
    );
  } else {
    const words = modelWords(refused(answer, reason));
    assert.ok(words.includes(place), `${words} names ${place}`);
  }
}

test('[BT60] unknown, missing and malformed parameters are refused, with the place', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ content: 'x' });
  assert.deepEqual(blockTools.map(({ name }) => name).toSorted(), Object.keys(goodParams).toSorted());
  const { seq } = await world.state();
  for (const { name } of blockTools) {
    const good = goodParams[name]?.(block_id) ?? {};
    assertRefused(name, await world.call(name, { ...good, surplus: 1 }), 'invalid-params', 'surplus');
    for (const bad of [undefined, null, 'x', [], 7]) assertRefused(name, await world.call(name, bad), 'invalid-params');
    for (const key of Object.keys(good)) {
      for (const wrong of [null, { strange: true }]) {
        assertRefused(name, await world.call(name, { ...good, [key]: wrong }), 'invalid-params', key);
      }
    }
  }
  const edit = (operations: unknown) => world.call('block.edit', { block_id, operations });
  const cases: [operations: unknown, place: string][] = [
    [[], 'operations'],
    [[{ op: 'move', line: 0 }], 'operations[0].op'],
    [
      [
        { op: 'insert', line: 0, content: 'x' },
        { op: 'insert', line: -1, content: 'x' },
      ],
      'operations[1].line',
    ],
    [[{ op: 'insert', line: 0.5, content: 'x' }], 'operations[0].line'],
    [[{ op: 'delete', start_line: 0 }], 'operations[0].end_line'],
    [[{ op: 'replace', start_line: 0, end_line: 1 }], 'operations[0].content'],
    [[{ op: 'insert', line: 0, content: 'x', expected_text: 'x' }], 'operations[0]'],
  ];
  for (const [operations, place] of cases) assertRefused('block.edit', await edit(operations), 'invalid-params', place);
  for (const bad of [{ offset: -1 }, { offset: 1.5 }, { delete_count: -1 }, { delete_count: 2 ** 60 }]) {
    const params = { block_id, offset: 0, delete_count: 0, ...bad };
    assertRefused('block.splice', await world.call('block.splice', params), 'invalid-params', Object.keys(bad)[0]);
  }
  for (const metadata of [[], 'x', { at: Number.NaN }]) {
    const params = { parent_id: block_id, role: 'user', kind: 'text', metadata };
    assertRefused('block.create', await world.call('block.create', params), 'invalid-params', 'metadata');
  }
  assert.equal((await world.state()).seq, seq);
});

async function refuseEverywhere(world: ToolWorld, id: string): Promise<void> {
  for (const { name } of blockTools) {
    if (name === 'kernel.search') continue;
    const answer = await world.call(name, goodParams[name]?.(id));
    if (name === 'block.sync')
      assert.deepEqual(z.object({ patches: z.array(z.unknown()) }).parse(answer).patches, [
        { block_id: id, version: 0, removed: true },
      ]);
    else assertRefused(name, answer, 'block-not-found', id);
  }
}

test('[BT61] a message that is taken for a block is answered with its blocks', async () => {
  const world = await createToolWorld();
  const { block_id, node_id } = done(
    await world.tools.create(world.by(), { role: 'model', kind: 'text', content: 'one' }),
  );
  for (const { name, params } of blockTools) {
    if (!('block_id' in params.shape)) continue;
    const answer = await world.call(name, goodParams[name]?.(node_id));
    assertRefused(name, answer, 'block-not-found', `Its block is ${block_id}`);
  }
});

test('[BT61] an id that names nothing is refused by every tool, whatever it looks like, and opens no log', async () => {
  const world = await createToolWorld();
  await world.block({ content: 'x' });
  const logs = await world.store.logs();
  const ids = [
    `${world.root}/@ann/99`,
    `${world.root}/@nobody/1`,
    `${world.root}/node-99`,
    'root-nowhere/@ann/1',
    'root-nowhere/node-1',
    'root-nowhere',
    'forest/@ann/1',
    'forest',
    'x',
    '/',
    '/@/',
    'constructor',
    '../../etc/passwd',
    '\uD800/@ann/1',
    `${world.root}/@ann/1/`,
    ` ${world.root}/@ann/1`,
  ];
  for (const id of ids) await refuseEverywhere(world, id);
  assert.deepEqual(await world.store.logs(), logs);
  assert.deepEqual((await world.engine.forest.roots()).length, 1);
});

test('[BT62] blocks of deleted roots and nodes, and what is below a tombstone, are not there until they are restored', async () => {
  const world = await createToolWorld();
  const { forest } = world.engine;
  const top = await world.block({ content: 'top' });
  const below = await world.block({ parent_id: top, role: 'model', content: 'below' });
  const node = (await world.state()).nodeOfBlock.get(top) ?? '';
  const leaf = (await world.state()).nodeOfBlock.get(below) ?? '';
  assert.ok((await forest.remove(world.by(), world.root, { node, children: 'remove' })).ok);
  for (const id of [top, below, node, leaf]) await refuseEverywhere(world, id);
  assert.deepEqual(await world.tools.list({ parent_id: world.root, depth: 9 }), []);
  assert.deepEqual(await world.tools.searchAll({ query: 'below', kinds: ['text'] }), {
    blocks: [],
    conversations: [],
    truncated: false,
    complete: true,
    searched: { conversations: 1, of: 1 },
  });
  assert.ok((await forest.restore(world.by(), world.root, node)).ok);
  assert.equal(await world.text(below), 'below');
  assert.ok((await forest.removeRoot(world.by(), world.root)).ok);
  for (const id of [top, below, node, world.root]) await refuseEverywhere(world, id);
  assert.deepEqual(await world.tools.list({}), []);
  assert.ok((await forest.restoreRoot(world.by(), world.root)).ok);
  done(
    await world.tools
      .undo(world.by(), { block_id: below })
      .then((answer) => (isRefused(answer) ? { version: 0 } : answer)),
  );
  assert.equal(await world.text(below), 'below');
});

test('[BT63] a repeated request is done once and answered every time, also by another process', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const requests: [name: string, params: Record<string, unknown>][] = [
    ['block.append', { block_id, text: 'a\n' }],
    ['block.status', { block_id, status: 'done' }],
    ['block.edit', { block_id, operations: [{ op: 'insert', line: 0, content: 'b' }] }],
    ['block.edit', { block_id, base_version: 2, operations: [{ op: 'insert', line: 0, content: 'c' }] }],
    ['block.splice', { block_id, offset: 0, delete_count: 0, insert: 'd' }],
    ['block.undo', { block_id }],
    ['block.redo', { block_id }],
    ['block.create', { parent_id: block_id, role: 'user', kind: 'text', content: 'x' }],
  ];
  for (const [name, params] of requests) {
    const id = world.ids.next();
    const first = await world.call(name, params, 'ann', id);
    assert.ok(!isRefused(first), `${name} ${JSON.stringify(first)}`);
    const { seq } = await world.state();
    assert.deepEqual(await world.call(name, params, 'ann', id), first, name);
    assert.deepEqual(await callTool(world.another(), { agent: 'ann', id }, name, params), first, name);
    assert.equal((await world.state()).seq, seq, `${name} was done once`);
  }
});

test('[BT63] a request that was refused is decided again when it is repeated', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const request = world.by();
  const operations = [{ op: 'delete' as const, start_line: 0, end_line: 1 }];
  refused(await world.tools.edit(request, { block_id, operations }), 'line-out-of-range');
  done(await world.tools.append(world.by(), { block_id, text: 'x' }));
  assert.deepEqual(await world.tools.edit(request, { block_id, operations }), { version: 3 });
});

test('[BT64] an id that was used for something with another answer is refused; another agent may use it', async () => {
  const world = await createToolWorld();
  const request = world.by();
  const created = done(await world.tools.create(request, { parent_id: world.root, role: 'user', kind: 'text' }));
  const { block_id } = created;
  const refusal = refused(await world.tools.append(request, { block_id, text: 'x' }), 'request-reused');
  assert.equal(refusal.id, request.id);
  assert.equal(await world.text(block_id), '');
  done(await world.tools.append({ ...request, agent: 'bob' }, { block_id, text: 'x' }));
  const again = await world.tools.create(
    { ...request, agent: 'bob' },
    { parent_id: world.root, role: 'user', kind: 'text' },
  );
  refused(again, 'request-reused');
});
