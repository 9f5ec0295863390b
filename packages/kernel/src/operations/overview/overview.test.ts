import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { LoomEngine } from '../calling/engine.ts';
import type { Outcome } from '../../refusal.ts';
import { call, say } from '../../testing/scripted-provider.ts';
import { createWorld, echoTool } from '../../testing/world.ts';
import type { Caller } from '../operation.ts';
import type { ParamsOf } from '../table.ts';

let requests = 0;

function by(given: Partial<Caller> = {}): Caller {
  requests += 1;
  return { agent: 'person', type: 'person', role: 'owner', door: 'library', id: `call-${requests}`, ...given };
}

function value<T>(outcome: Outcome<T>): T {
  return outcome.ok ? outcome.value : assert.fail(JSON.stringify(outcome.refusal));
}

/** Begins a conversation with new messages, one below the other; returns their nodes. */
async function begin(engine: LoomEngine, texts: string[]): Promise<{ root: string; nodes: string[] }> {
  const { root } = value(await engine.call('root.create', by(), {}));
  const messages = texts.map((content) => ({ role: 'user' as const, content }));
  return { root, nodes: value(await engine.call('node.append', by(), { parent: root, messages })).nodes };
}

test('[OP20] bookmarks of all conversations are listed, also where a list shows only the last ones of one', async () => {
  const { engine } = await createWorld();
  const many = await begin(
    engine,
    Array.from({ length: 60 }, (_, index) => `message ${index}`),
  );
  for (const node of many.nodes) value(await engine.call('node.bookmark', by(), { node, title: node }));
  const few = await begin(engine, ['Alone here']);
  value(await engine.call('node.bookmark', by(), { node: few.nodes[0] ?? '', title: '' }));
  value(await engine.call('root.mark', by(), { root: few.root, title: 'Few' }));
  const found: string[] = [];
  for (let after: string | undefined, isOver = false; !isOver;) {
    const page = value(
      await engine.call('bookmark.list', by(), { limit: 7, ...(after === undefined ? {} : { after }) }),
    );
    found.push(...page.items.map(({ node }) => node));
    after = page.next;
    isOver = after === undefined;
  }
  assert.deepEqual(found, [...many.nodes, ...few.nodes].toSorted());
  const own = value(await engine.call('bookmark.list', by({ roots: [few.root] }), {}));
  assert.deepEqual(own.items, [
    { root: few.root, root_title: 'Few', opening: 'Alone here', node: few.nodes[0], title: '' },
  ]);
});

test('[OP20] tags are listed with how many conversations have each, and a list finds those with one', async () => {
  const { engine } = await createWorld();
  const [one, two] = [await begin(engine, ['one']), await begin(engine, ['two'])];
  value(await engine.call('root.mark', by(), { root: one.root, tags: ['work', 'urgent'] }));
  value(await engine.call('root.mark', by(), { root: two.root, tags: ['work'] }));
  assert.deepEqual(value(await engine.call('tag.list', by(), {})).items, [
    { tag: 'urgent', roots: 1 },
    { tag: 'work', roots: 2 },
  ]);
  assert.deepEqual(value(await engine.call('tag.list', by({ roots: [two.root] }), {})).items, [
    { tag: 'work', roots: 1 },
  ]);
  const listed = async (tag: string): Promise<string[]> =>
    value(await engine.call('root.list', by(), { tag })).items.map(({ id }) => id);
  assert.deepEqual(
    [await listed('urgent'), await listed('work'), await listed('wor')],
    [[one.root], [one.root, two.root], []],
  );
});

test('[OP65] an archived conversation is left out of lists, is found all the same, and comes back by undo', async () => {
  const { engine, store } = await createWorld();
  const [one, two] = [await begin(engine, ['needle one']), await begin(engine, ['needle two'])];
  const both = [one.root, two.root];
  const list = async (params: ParamsOf<'root.list'>): Promise<string[]> =>
    value(await engine.call('root.list', by({ roots: both }), params))
      .items.map(({ id }) => id)
      .sort();
  const mark = async (params: Omit<ParamsOf<'root.mark'>, 'root'>): Promise<unknown> =>
    value(await engine.call('root.mark', by(), { root: one.root, ...params }));
  const before = (await store.read(one.root, 0))?.records.length;
  await mark({ archived: false, project: null });
  assert.equal((await store.read(one.root, 0))?.records.length, before, 'nothing changes, so nothing is written');
  await mark({ archived: true, project: 'loom' });
  assert.deepEqual([await list({}), await list({ archived: 'only' })], [[two.root], [one.root]]);
  assert.deepEqual(await list({ archived: 'with' }), both);
  assert.deepEqual(
    [await list({ project: 'loom' }), await list({ project: 'loom', archived: 'with' })],
    [[], [one.root]],
  );
  const { archived, project } = value(await engine.call('root.get', by(), { root: one.root }));
  assert.deepEqual([archived, project], [true, 'loom']);
  const { blocks } = value(await engine.call('kernel.search', by(), { query: 'needle' }));
  assert.equal(blocks.length, 2);
  value(await engine.call('root.remove', by(), { root: one.root }));
  assert.deepEqual(await list({ deleted: true }), [one.root]);
  value(await engine.call('root.restore', by(), { root: one.root }));
  for (let steps = 0; steps < 3; steps += 1) value(await engine.call('tree.undo', by(), { root: one.root }));
  const undone = value(await engine.call('root.get', by(), { root: one.root }));
  assert.deepEqual([undone.archived, undone.project], [undefined, undefined]);
  assert.deepEqual(await list({}), both);
});

test('[OP21] calls that wait for a person are listed over all conversations, with what a decision needs, until they are decided', async () => {
  const world = await createWorld([call(['c1', 'shell', '{"a":  1}']), say('done')], [echoTool('shell', 'ask')]);
  const { engine, root } = world;
  await begin(engine, ['quiet']);
  const turn = await world.answer(await world.say('go'));
  const waiting = async (caller = by()) => value(await engine.call('turn.waiting', caller, {})).items;
  while ((await waiting()).length === 0) await setImmediate();
  const [item = assert.fail()] = await waiting();
  const { node, since, ...facts } = item;
  assert.deepEqual(facts, {
    root,
    opening: 'go',
    turn,
    provider: 'scripted',
    model: 'one',
    tool: 'shell',
    arguments: '{"a":  1}',
    ask: { kind: 'ask', preview: [] },
  });
  assert.equal(since, new Date(world.clock.now()).toISOString());
  assert.deepEqual(await waiting(by({ roots: [] })), []);
  const decided = { node, decision: 'approved' as const, arguments: item.arguments };
  assert.deepEqual(value(await engine.call('turn.decide', by(), decided)), { turn });
  await engine.turns.wait(turn);
  assert.deepEqual(await waiting(), []);
});

test('[OP22] an outline has a line for each message that can be seen, parents before children, in pages', async () => {
  const { engine } = await createWorld();
  const long = 'x'.repeat(79) + '😀 and more';
  const { root, nodes } = await begin(engine, ['first', long]);
  const [top = '', below = ''] = nodes;
  const said = value(
    await engine.call('node.append', by(), {
      parent: top,
      messages: [
        { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'shell', parameters: {} }] },
        { role: 'tool', tool_call_id: 'c', is_error: true, content: 'failed' },
      ],
    }),
  );
  value(await engine.call('node.mark', by(), { node: top, title: 'The question', tags: ['seen'] }));
  value(await engine.call('node.bookmark', by(), { node: below, title: 'Kept' }));
  const outline = async (params: { top: string; limit?: number; after?: string }) =>
    value(await engine.call('tree.outline', by(), params));
  const { items } = await outline({ top: root });
  const [calls = '', result = ''] = said.nodes;
  assert.deepEqual(
    items.map(({ time: _time, ...row }) => row),
    [
      { id: top, parent: root, role: 'user', words: 'The question', children: 2, tags: ['seen'] },
      { id: below, parent: top, role: 'user', words: `${'x'.repeat(79)}\ufffd`, children: 0, bookmark: 'Kept' },
      { id: calls, parent: top, role: 'assistant', words: '● shell', children: 1 },
      { id: result, parent: calls, role: 'tool', words: 'failed', children: 0, state: 'error' },
    ],
  );
  const first = await outline({ top: root, limit: 3 });
  const rest = await outline({ top: root, limit: 3, after: first.next ?? '' });
  assert.deepEqual([...first.items, ...rest.items], items);
  assert.equal(rest.next, undefined);
  assert.deepEqual((await outline({ top: calls })).items, items.slice(2));
  value(await engine.call('node.remove', by(), { node: calls }));
  assert.deepEqual(
    (await outline({ top: root })).items.map(({ id }) => id),
    [top, below],
  );
});

test('[OP23] keys of the config of a conversation are changed each for itself, and that can be taken back', async () => {
  const { engine, root } = await createWorld();
  const change = async (config: Record<string, unknown>, caller = by()) =>
    engine.call('root.configure', caller, { root, config });
  assert.deepEqual(value(await change({ custom: { theme: 'dark' }, tools: ['shell'] })), {
    root,
    config: { systemPrompt: 'Be brief.', custom: { theme: 'dark' }, tools: ['shell'] },
  });
  value(await change({ systemPrompt: null, custom: null }));
  const config = async () => value(await engine.call('root.get', by(), { root })).config;
  assert.deepEqual(await config(), { tools: ['shell'] });
  value(await engine.call('tree.undo', by(), { root }));
  assert.deepEqual(await config(), { systemPrompt: 'Be brief.', custom: { theme: 'dark' }, tools: ['shell'] });
  const wrong = await change({ systemPrompt: 5 });
  assert.deepEqual(wrong.ok ? undefined : wrong.refusal.reason, 'invalid-params');
  for (const key of ['directory', 'tools', 'approval_mode']) {
    const denied = await change({ [key]: null }, by({ role: 'writer' }));
    assert.deepEqual(denied.ok ? undefined : denied.refusal.reason, 'not-permitted', key);
  }
});

test('[OP26] the tools that turns may use are listed as models are told of them', async () => {
  const { engine } = await createWorld([], [{ ...echoTool('write'), madeFor: 'demo' }, echoTool('read', 'ask')]);
  const page = value(await engine.call('tool.list', by(), { after: 'kernel_search', limit: 1 }));
  const [{ name, description, parameters } = { name: '', description: '', parameters: {} }] = page.items;
  assert.deepEqual([name, description, parameters], ['read', 'echoes (ask)', { type: 'object' }]);
  assert.deepEqual(
    value(await engine.call('tool.list', by(), { after: page.next ?? '' })).items.map((item) => [
      item.name,
      item.made_for,
    ]),
    [['write', 'demo']],
  );
});

test('[OP130] the tools that a conversation offers to a model are told, with why the others are not', async () => {
  const tools = [{ ...echoTool('read'), needsFolder: true, group: 'files' as const, effect: 'reads' as const }];
  const { engine, root } = await createWorld([], tools);
  const list = async (params: object) => {
    const { items } = value(await engine.call('tool.list', by(), { limit: 1000, ...params }));
    return items.map(({ name, group, effect, offered, why_not: why }) => [name, group, effect, offered, why]);
  };
  const find = async (name: string) =>
    (await list({ root, provider: 'x', model: 'y' })).find(([each]) => each === name);
  assert.deepEqual(await find('read'), ['read', 'files', 'reads', false, 'no-folder']);
  assert.deepEqual(await find('block_edit'), ['block_edit', 'forest', 'changes', false, 'on-request']);
  value(await engine.call('root.configure', by(), { root, config: { directory: '/work' } }));
  assert.deepEqual(await list({ root, offered: true }), [
    ['blob_read', 'other', 'reads', true, undefined],
    ['draft_create', 'other', 'changes', true, undefined],
    ['read', 'files', 'reads', true, undefined],
  ]);
  assert.deepEqual(await list({ config: { directory: '/work' }, offered: true }), await list({ root, offered: true }));
  value(await engine.call('root.configure', by(), { root, config: { tools: ['block_edit'] } }));
  assert.deepEqual(await list({ root, offered: true }), [['block_edit', 'forest', 'changes', true, undefined]]);
});

test('[OP27] blocks are located in their messages and conversations; those that are gone are left out', async () => {
  const { engine } = await createWorld();
  const { root, nodes } = await begin(engine, ['Where is the moon?']);
  const said = value(
    await engine.call('node.append', by(), {
      parent: nodes[0] ?? '',
      messages: [
        { role: 'assistant', content: [{ type: 'tool-use', id: 'c', name: 'shell', parameters: {} }] },
        { role: 'tool', tool_call_id: 'c', content: 'above' },
      ],
    }),
  );
  value(await engine.call('root.mark', by(), { root, title: 'Moon' }));
  const { items } = value(await engine.call('tree.subtree', by(), { top: root }));
  const blocks = items.map(({ message }) => message.content[0]?.block_id ?? '');
  const locate = async (ids: string[], caller = by()) =>
    value(await engine.call('block.locate', caller, { blocks: ids })).places.map(({ time: _time, ...place }) => place);
  const about = { root, root_title: 'Moon', opening: 'Where is the moon?' };
  const [question = '', called = '', result = ''] = blocks;
  assert.deepEqual(await locate([result, question, `${root}/none`, called]), [
    { block_id: result, ...about, node: said.nodes[1], role: 'tool', type: 'text', tool: 'shell' },
    { block_id: question, ...about, node: nodes[0], role: 'user', type: 'text' },
    { block_id: called, ...about, node: said.nodes[0], role: 'assistant', type: 'tool-use', tool: 'shell' },
  ]);
  value(await engine.call('node.remove', by(), { node: said.nodes[1] ?? '' }));
  assert.deepEqual(await locate([result]), []);
  value(await engine.call('root.remove', by(), { root }));
  assert.deepEqual(await locate([question]), []);
});

test('[OP28] a list says which conversations have gone wrong at their end, until something else happens there', async () => {
  const { engine } = await createWorld();
  const { root, nodes } = await begin(engine, ['Try it']);
  const failed = async () => value(await engine.call('root.get', by(), { root })).failed;
  assert.equal(await failed(), undefined);
  const said = value(
    await engine.call('node.append', by(), {
      parent: nodes[0] ?? '',
      messages: [{ role: 'assistant', content: [{ type: 'error', message: 'no', code: 'x' }] }],
    }),
  );
  assert.equal(await failed(), true);
  const more = [{ role: 'user' as const, content: 'again' }];
  value(await engine.call('node.append', by(), { parent: said.nodes[0] ?? '', messages: more }));
  assert.equal(await failed(), undefined);
});
