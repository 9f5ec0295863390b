import assert from 'node:assert/strict';
import { test } from 'node:test';
import { visibleBlocks } from '../forest/reading/block-walk.ts';
import { modelWords } from '../operations/model-words.ts';
import { assertWhole, createToolWorld, done, refused, toolsOver } from './testing/tool-world.ts';
import type { ToolWorld } from './testing/tool-world.ts';
import { call, say } from '../testing/scripted-provider.ts';
import { until } from '../testing/world.ts';

type Status = 'pending' | 'running' | 'done' | 'error';

const statusOf = async ({ tools }: ToolWorld, block_id: string): Promise<string> =>
  done(await tools.read({ block_id })).status;

test('[BT1] a block with content is done, one without is pending, and both are at version 1', async () => {
  const world = await createToolWorld();
  const params = { parent_id: world.root, role: 'user' as const, kind: 'text' };
  const empty = done(await world.tools.create(world.by(), params));
  const full = done(await world.tools.create(world.by(), { ...params, content: 'hello' }));
  const blank = done(await world.tools.create(world.by(), { ...params, content: '' }));
  assert.deepEqual([empty.version, full.version], [1, 1]);
  assert.equal(await statusOf(world, empty.block_id), 'pending');
  assert.equal(await statusOf(world, full.block_id), 'done');
  assert.equal(await statusOf(world, blank.block_id), 'done');
  assert.match(empty.block_id, new RegExp(`^${world.root}/@ann/\\d+$`));
  assert.match(empty.node_id, new RegExp(`^${world.root}/node-\\d+$`));
});

test('[BT1] metadata is kept with the block as it was given', async () => {
  const world = await createToolWorld();
  const metadata = { path: 'a/b.ts', language: 'ts', more: [1, { deep: null }] };
  const block = await world.block({ content: 'x', metadata });
  assert.deepEqual(done(await world.tools.read({ block_id: block })).metadata, metadata);
  assert.deepEqual(done(await world.restarted().read({ block_id: block })).metadata, metadata);
});

test('[BT2] a running leaf of the same role is extended, by its node or by one of its blocks', async () => {
  const world = await createToolWorld();
  const first = done(await world.tools.create(world.by(), { parent_id: world.root, role: 'model', kind: 'thinking' }));
  const byBlock = await world.block({ parent_id: first.block_id, role: 'assistant', kind: 'text', content: 'b' });
  const byNode = await world.block({ parent_id: first.node_id, role: 'model', kind: 'text' }, 'bob');
  const [node] = await world.nodes();
  assert.deepEqual(
    node?.blocks.map(({ block_id }) => block_id),
    [first.block_id, byBlock, byNode],
  );
  assert.equal(node?.role, 'assistant');
});

test('[BT2] another role, a finished node and a node with children get a child instead', async () => {
  const world = await createToolWorld();
  const running = await world.block({ role: 'assistant' });
  const other = done(
    await world.tools.create(world.by(), { parent_id: running, role: 'user', kind: 'text', content: 'x' }),
  );
  const state = await world.state();
  const holder = state.nodeOfBlock.get(running);
  assert.equal(state.nodes.get(other.node_id)?.parent, holder, 'another role');
  const below = done(await world.tools.create(world.by(), { parent_id: running, role: 'assistant', kind: 'text' }));
  assert.equal((await world.state()).nodes.get(below.node_id)?.parent, holder, 'it has a child by now');
  const finished = await world.block({ content: 'said' });
  const reply = done(
    await world.tools.create(world.by(), { parent_id: finished, role: 'user', kind: 'text', content: 'y' }),
  );
  assert.equal((await world.state()).nodes.get(reply.node_id)?.parent, (await world.state()).nodeOfBlock.get(finished));
});

test('[BT2] the result of another call is never added to a result that is being written', async () => {
  const world = await createToolWorld();
  const a = await world.block({
    role: 'assistant',
    kind: 'tool_call',
    metadata: { tool_name: 't', tool_call_id: 'A' },
  });
  await world.block({
    parent_id: a,
    role: 'assistant',
    kind: 'tool_call',
    content: '{}',
    metadata: { tool_name: 't', tool_call_id: 'B' },
  });
  const first = done(await world.tools.create(world.by(), { parent_id: a, role: 'tool', kind: 'tool_result' }));
  const more = done(
    await world.tools.create(world.by(), { parent_id: first.node_id, role: 'tool', kind: 'text', content: 'more' }),
  );
  assert.equal(more.node_id, first.node_id);
  const metadata = { tool_call_id: 'B' };
  const second = done(
    await world.tools.create(world.by(), { parent_id: first.node_id, role: 'tool', kind: 'tool_result', metadata }),
  );
  const nodes = (await world.state()).nodes;
  assert.deepEqual(
    [
      nodes.get(first.node_id)?.tool_call_id,
      nodes.get(second.node_id)?.tool_call_id,
      nodes.get(second.node_id)?.parent,
    ],
    ['A', 'B', first.node_id],
  );
});

test('[BT3] a block hangs on the one before it, the first of a node on the last of the node above, a result on its call', async () => {
  const world = await createToolWorld();
  const question = await world.block({ content: 'q' });
  const thought = await world.block({ parent_id: question, role: 'model', kind: 'thinking' });
  const called = await world.block({
    parent_id: thought,
    role: 'model',
    kind: 'tool_call',
    metadata: { tool_name: 't' },
  });
  const text = await world.block({ parent_id: thought, role: 'model', content: 'and' });
  const result = await world.block({ parent_id: called, role: 'tool', kind: 'tool_result' });
  const rest = await world.block({ parent_id: result, role: 'tool', kind: 'code', content: 'x' });
  const listed = done(await world.tools.list({ parent_id: world.root, depth: 10 }));
  assert.deepEqual(
    listed.map(({ block_id, parent_id }) => [block_id, parent_id]),
    [
      [question, undefined],
      [thought, question],
      [called, thought],
      [text, called],
      [result, called],
      [rest, result],
    ],
  );
});

test('[BT4] each kind belongs to some roles; a refusal says to which, and leaves nothing behind', async () => {
  const world = await createToolWorld();
  const call_block = await world.block({
    role: 'model',
    kind: 'tool_call',
    content: '{}',
    metadata: { tool_name: 't' },
  });
  const before = (await world.state()).seq;
  const cases: [role: 'user' | 'model' | 'tool', kind: string, hint: RegExp][] = [
    ['user', 'thinking', /belongs to role assistant/],
    ['tool', 'thinking', /belongs to role assistant/],
    ['user', 'code', /belongs to role assistant or tool/],
    ['user', 'tool_call', /belongs to role assistant/],
    ['user', 'tool_result', /belongs to role tool/],
    ['model', 'tool_result', /belongs to role tool/],
    ['user', 'file', /workspace/],
    ['user', 'image', /there are text, thinking/],
    ['model', 'constructor', /there are text, thinking/],
    ['model', '', /there are text, thinking/],
  ];
  for (const [role, kind, hint] of cases) {
    const params = { parent_id: call_block, role, kind, content: 'x', metadata: { tool_name: 't' } };
    assert.match(
      modelWords(refused(await world.tools.create(world.by(), params), 'invalid-params')),
      hint,
      `${role} ${kind}`,
    );
  }
  const system = { parent_id: world.root, role: 'system' as const, kind: 'text', content: 'Be brief.' };
  assert.match(modelWords(refused(await world.tools.create(world.by(), system), 'invalid-params')), /systemPrompt/);
  assert.equal((await world.state()).seq, before);
});

test('[BT4] every kind that can be created is, for every role that may hold it', async () => {
  const world = await createToolWorld();
  const metadata = { tool_name: 't', tool_call_id: 'c', language: 'ts', path: 'a.ts' };
  const called = await world.block({ role: 'model', kind: 'tool-use', content: '{"a":1}', metadata });
  const kinds: [role: 'user' | 'assistant' | 'tool', kind: string, type: string][] = [
    ['user', 'text', 'text'],
    ['assistant', 'text', 'text'],
    ['tool', 'text', 'text'],
    ['tool', 'tool_result', 'text'],
    ['assistant', 'thinking', 'thinking'],
    ['assistant', 'code', 'code'],
    ['tool', 'code', 'code'],
    ['assistant', 'tool_use', 'tool-use'],
  ];
  for (const [role, kind, type] of kinds) {
    const block = await world.block({ parent_id: called, role, kind, content: 'x', metadata });
    const read = done(await world.tools.read({ block_id: block, line_numbers: false }));
    assert.deepEqual([read.role, read.kind], [role, type]);
  }
  const code = [...visibleBlocks(await world.state())].find(({ block }) => block.type === 'code')?.block;
  assert.ok(code?.type === 'code');
  assert.deepEqual([code.content, code.language, code.filename], ['x', 'ts', 'a.ts']);
});

test('[BT5] the arguments of a call are read, and kept as they are when they are no JSON object', async () => {
  const world = await createToolWorld();
  const create = async (content: string | undefined, id?: string) => {
    const metadata = { tool_name: 'grep', ...(id === undefined ? {} : { tool_call_id: id }) };
    const params = {
      role: 'model' as const,
      kind: 'tool_call',
      metadata,
      ...(content === undefined ? {} : { content }),
    };
    const block = (await world.state()).block(await world.block(params));
    assert.ok(block?.type === 'tool-use');
    return block;
  };
  const good = await create('{"a":1}', 'toolu_1');
  assert.deepEqual([good.id, good.name, good.parameters, good.arguments], ['toolu_1', 'grep', { a: 1 }, undefined]);
  const spaced = await create('{ "a": 1 }');
  assert.deepEqual([spaced.parameters, spaced.arguments], [{ a: 1 }, '{ "a": 1 }']);
  assert.match(spaced.id, /^call_/);
  for (const text of ['{"a":', '[1]', 'grep', '']) {
    const bad = await create(text);
    assert.deepEqual([bad.parameters, bad.arguments ?? ''], [{}, text]);
  }
  const pending = await create(undefined);
  assert.deepEqual([pending.status, pending.parameters, pending.arguments], ['pending', {}, undefined]);
  const nameless = { parent_id: world.root, role: 'model' as const, kind: 'tool_call' };
  assert.match(
    modelWords(refused(await world.tools.create(world.by(), nameless), 'invalid-params')),
    /metadata\.tool_name/,
  );
});

test('[BT6] a result stands below the call that it names, or that it is put below', async () => {
  const world = await createToolWorld();
  const metadata = { tool_name: 't', tool_call_id: 'c1' };
  const called = await world.block({ role: 'model', kind: 'tool_call', content: '{}', metadata });
  const params = { role: 'tool' as const, kind: 'tool_result', content: 'r' };
  const implied = done(await world.tools.create(world.by(), { ...params, parent_id: called }));
  const named = done(
    await world.tools.create(world.by(), { ...params, parent_id: implied.node_id, metadata: { tool_call_id: 'c1' } }),
  );
  const { nodes } = await world.state();
  assert.deepEqual(
    [implied, named].map(({ node_id }) => nodes.get(node_id)?.tool_call_id),
    ['c1', 'c1'],
  );
  assert.deepEqual(nodes.get(implied.node_id)?.source, { type: 'tool_result', tool_name: 't' });
  const bare = await world.tools.create(world.by(), { ...params, parent_id: world.root });
  assert.match(modelWords(refused(bare, 'invalid-params')), /metadata\.tool_call_id/);
  const orphan = { ...params, parent_id: called, metadata: { tool_call_id: 'other' } };
  refused(await world.tools.create(world.by(), orphan), 'orphan-result');
  const elsewhere = { ...params, parent_id: await world.block({ content: 'x' }), metadata: { tool_call_id: 'c1' } };
  refused(await world.tools.create(world.by(), elsewhere), 'orphan-result');
});

test('[BT7] without a parent a conversation begins; what is refused begins none, and a repeated request only one', async () => {
  const world = await createToolWorld();
  const roots = async () => (await world.engine.forest.roots()).length;
  const before = await roots();
  const params = { role: 'user' as const, kind: 'text', content: 'hi' };
  for (const bad of [
    { ...params, role: 'system' as const },
    { ...params, kind: 'image' },
    { ...params, role: 'tool' as const },
  ]) {
    refused(await world.tools.create(world.by(), bad), 'invalid-params');
  }
  assert.equal(await roots(), before);
  const request = world.by();
  const created = done(await world.tools.create(request, params));
  assert.deepEqual(await world.tools.create(request, params), created);
  assert.deepEqual(await world.restarted().create(request, params), created);
  assert.equal(await roots(), before + 1);
  assert.equal(
    done(await world.tools.list({})).find(({ block_id }) => block_id === created.block_id)?.parent_id,
    undefined,
  );
});

test('[BT8] nothing is created below what a live turn writes', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const world = await createToolWorld([
    async function* stream() {
      const [start, first, delta, ...rest] = say('one\n');
      for (const event of [start, first, delta]) if (event !== undefined) yield event;
      await promise;
      yield* rest;
    },
  ]);
  const turn = await world.answer(await world.say('hi'));
  await until(async () => (await world.nodes()).length === 2);
  const answer = (await world.nodes())[1]?.blocks[0]?.block_id ?? '';
  const params = { parent_id: answer, role: 'assistant' as const, kind: 'text', content: 'x' };
  refused(await world.tools.create(world.by(), params), 'turn-live');
  refused(await world.tools.status(world.by(), { block_id: answer, status: 'done' }), 'turn-live');
  resolve();
  await world.engine.turns.wait(turn);
  done(await world.tools.create(world.by(), params));
});

test('[BT10] a status goes forward only: pending, running, then done or error for good', async () => {
  const world = await createToolWorld();
  const allowed = new Set(['pending running', 'pending done', 'pending error', 'running done', 'running error']);
  const all: Status[] = ['pending', 'running', 'done', 'error'];
  for (const from of all) {
    for (const to of all) {
      const block_id = await world.block();
      if (from !== 'pending') done(await world.tools.status(world.by(), { block_id, status: from }));
      const version = await world.version(block_id);
      const answer = await world.tools.status(world.by(), { block_id, status: to });
      if (from === to) assert.deepEqual(answer, { version }, 'it is so already');
      else if (allowed.has(`${from} ${to}`)) assert.deepEqual(answer, { version: version + 1 });
      else refused(answer, 'bad-status');
      const isMade = from === to || allowed.has(`${from} ${to}`);
      assert.equal(await statusOf(world, block_id), isMade ? to : from, `${from} ${to}`);
      assert.equal(await world.version(block_id), version + (isMade && from !== to ? 1 : 0));
    }
  }
});

test('[BT11] what went wrong is kept with status error, and goes with no other', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  const error = { code: 'out\0', message: 'of \uD800tokens' };
  for (const status of ['pending', 'running', 'done'] as const) {
    refused(await world.tools.status(world.by(), { block_id, status, error }), 'invalid-params');
  }
  done(await world.tools.status(world.by(), { block_id, status: 'error', error }));
  assert.deepEqual((await world.state()).block(block_id)?.error, { code: 'out\uFFFD', message: 'of \uFFFDtokens' });
});

test('[BT12] the arguments of a call grow until it is done; then they are its parameters', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ role: 'model', kind: 'tool_call', metadata: { tool_name: 't' } });
  assert.deepEqual(await world.tools.append(world.by(), { block_id, text: '{"a"' }), { version: 2 });
  assert.equal(await statusOf(world, block_id), 'running');
  assert.equal(await world.text(block_id), 't({"a")');
  done(await world.tools.append(world.by(), { block_id, text: ':1}' }));
  done(await world.tools.status(world.by(), { block_id, status: 'done' }));
  const block = (await world.state()).block(block_id);
  assert.ok(block?.type === 'tool-use');
  assert.deepEqual([block.parameters, block.arguments], [{ a: 1 }, undefined]);
  refused(await world.tools.append(world.by(), { block_id, text: 'x' }), 'bad-status');
  for (const version of [1, 2, 3, 4]) {
    const read = done(await world.tools.read({ block_id, version, line_numbers: false }));
    assert.equal(read.content, ['t({})', 't({"a")', 't({"a":1})', 't({"a":1})'][version - 1], `version ${version}`);
  }
});

test('[BT13] an append moves a pending block to running, and only pending and running blocks grow', async () => {
  const world = await createToolWorld();
  const block_id = await world.block();
  assert.deepEqual(await world.tools.append(world.by(), { block_id, text: '' }), { version: 1 });
  assert.equal(await statusOf(world, block_id), 'pending', 'nothing was said');
  assert.deepEqual(await world.tools.append(world.by(), { block_id, text: 'a ' }), { version: 2 });
  assert.equal(await statusOf(world, block_id), 'running');
  assert.deepEqual(await world.tools.append(world.by('bob'), { block_id, text: '\r\nb\0\uD83D' }), { version: 3 });
  assert.equal(await world.text(block_id), 'a \r\nb\uFFFD\uFFFD', 'never trimmed, but cleaned');
  done(await world.tools.status(world.by(), { block_id, status: 'done' }));
  refused(await world.tools.append(world.by(), { block_id, text: 'c' }), 'bad-status');
  const failed = await world.block();
  done(await world.tools.status(world.by(), { block_id: failed, status: 'error' }));
  refused(await world.tools.append(world.by(), { block_id: failed, text: 'c' }), 'bad-status');
});

test('[BT13] an append to a pending block whose text is a document begins it too', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ role: 'model', kind: 'code' });
  assert.deepEqual(await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 0, insert: 'b' }), {
    version: 2,
  });
  assert.equal(await statusOf(world, block_id), 'running', 'an edit begins a block as an append does');
  done(await world.tools.append(world.by(), { block_id, text: 'c' }));
  assert.equal(await world.text(block_id), 'bc');
});

test('[BT14] what has no text is refused by the text tools as not-text', async () => {
  const world = await createToolWorld();
  const block_id = await world.block({ role: 'model', kind: 'tool_call', content: '{}', metadata: { tool_name: 't' } });
  refused(await world.tools.splice(world.by(), { block_id, offset: 0, delete_count: 0 }), 'not-text');
  refused(
    await world.tools.edit(world.by(), { block_id, operations: [{ op: 'insert', line: 0, content: 'x' }] }),
    'not-text',
  );
  const based = { block_id, base_version: 1, operations: [{ op: 'insert' as const, line: 0, content: 'x' }] };
  refused(await world.tools.edit(world.by(), based), 'not-text');
  refused(await world.tools.undo(world.by(), { block_id }), 'not-text');
  refused(await world.tools.setCursor('ann', { block_id, anchor: 0 }), 'not-text');
  assert.equal((await world.patch(world.by(), { block_id, patch: '@@ -0,0 +1 @@\n+x\n' })).success, false);
  const image = { type: 'image' as const, media_type: 'image/png', url: 'https://example.org/a.png' };
  const appended = await world.engine.forest.append(world.by(), world.root, {
    parent: world.root,
    messages: [{ role: 'user', content: [image] }],
  });
  assert.ok(appended.ok);
  const picture = (await world.state()).nodes.get(appended.value.nodes[0] ?? '')?.blocks[0]?.block_id ?? '';
  refused(await world.tools.append(world.by(), { block_id: picture, text: 'x' }), 'not-text');
});

test('[BT15] no other agent writes the arguments of a call that a turn is writing', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const world = await createToolWorld([
    async function* stream() {
      const events = call(['1', 'echo', '{"a":1}']);
      const end = events.findLastIndex(({ type }) => type === 'block-end');
      yield* events.slice(0, end);
      await promise;
      yield* events.slice(end);
    },
  ]);
  const turn = await world.answer(await world.say('hi'), { tools: [] });
  await until(async () => [...visibleBlocks(await world.state())].some(({ block }) => block.type === 'tool-use'));
  world.clock.advance(200);
  const found = [...visibleBlocks(await world.state())].find(({ block }) => block.type === 'tool-use');
  refused(await world.tools.append(world.by(), { block_id: found?.block.block_id ?? '', text: ',"b":2' }), 'turn-live');
  resolve();
  await world.engine.turns.wait(turn);
  const block = (await world.state()).block(found?.block.block_id ?? '');
  assert.ok(block?.type === 'tool-use');
  assert.deepEqual(block.parameters, { a: 1 });
});

test('[BT9] whatever was created can be read back by another process, however odd its texts are', async () => {
  const world = await createToolWorld();
  const odd = ['', ' ', '\0', '\uD800x', 'a\nb', '__proto__', 'x'.repeat(10_000), '😀', '\u2028'];
  for (const text of odd) {
    const metadata = { tool_name: `t${text}`, tool_call_id: text, path: text, language: text, [text]: text };
    const called = await world.block({ role: 'model', kind: 'tool_call', content: text, metadata });
    await world.block({
      parent_id: called,
      role: 'tool',
      kind: 'tool_result',
      content: text,
      metadata: { [text]: [text] },
    });
    await world.block({ parent_id: called, role: 'model', kind: 'code', content: text, metadata });
    const growing = await world.block({ role: 'model', kind: 'thinking' });
    done(await world.tools.append(world.by(), { block_id: growing, text: `${text}.` }));
    done(await world.tools.splice(world.by(), { block_id: growing, offset: 0, delete_count: 0, insert: text }));
    const error = { code: text, message: text };
    done(await world.tools.status(world.by(), { block_id: growing, status: 'error', error }));
  }
  await assertWhole(world.engine.forest, world.root);
});

test('[TU20] what was running without a turn when its process died is interrupted with its text, what was pending stays', async () => {
  const world = await createToolWorld();
  const running = await world.block({ role: 'assistant' });
  done(await world.tools.append(world.by(), { block_id: running, text: 'half a ' }));
  const pending = await world.block({ role: 'user' });
  const statuses = async (): Promise<unknown[]> => {
    const state = await world.engine.forest.log(world.root).state();
    return [running, pending].map((id) => [state.block(id)?.status, state.block(id)?.error?.code]);
  };
  // A process that shares the store does not know whether the writer still runs.
  await world.another().recover(world.root);
  assert.deepEqual(await statuses(), [
    ['running', undefined],
    ['pending', undefined],
  ]);
  const heir = world.another({ exclusive: true });
  await heir.recover(world.root);
  assert.deepEqual(await statuses(), [
    ['error', 'interrupted'],
    ['pending', undefined],
  ]);
  assert.equal(await world.text(running), 'half a ');
  // Blocks begun from now on belong to a running process.
  const tools = toolsOver(heir.forest, world.ids);
  done(await tools.append(world.by(), { block_id: pending, text: 'now' }));
  await heir.recover(world.root);
  assert.deepEqual((await statuses())[1], ['running', undefined]);
});
