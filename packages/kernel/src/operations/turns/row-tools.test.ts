import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PlainObject } from '@loom/blocks';
import type { ProviderEvent } from '../../provider.ts';
import { say } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';
import type { World } from '../../testing/world.ts';

function calling(name: string, parameters: PlainObject): ProviderEvent[] {
  return [
    { type: 'call-start' },
    { type: 'block', message: 'm', role: 'assistant', block: { type: 'tool-use', id: 'c', name, parameters } },
    { type: 'call-end', reason: 'tool-use' },
  ];
}

/** The result a model reads when it calls a tool of this name. */
async function resultOf(
  world: World,
  name: string,
): Promise<{ text: string; isError: boolean; agent: string | undefined }> {
  const turn = await world.answer(await world.say('go'), { tools: [name] });
  assert.equal(await world.engine.turns.wait(turn), 'done');
  const result = (await world.nodes()).findLast(({ role }) => role === 'tool');
  const block = result?.blocks[0];
  assert.ok(block?.type === 'text');
  return { text: block.text, isError: result?.is_error === true, agent: block.agent };
}

test('[OP70] rows that models may use are tools of a turn that names them, and act in the model’s name', async () => {
  const world = await createWorld([calling('block_list', {}), say('so')]);
  const told = world.engine.registry.describeTools(['block_list', 'turn_decide']);
  assert.deepEqual(
    told.map(({ name, parameters }) => [name, parameters['type']]),
    [['block_list', 'object']],
  );
  const { text, isError } = await resultOf(world, 'block_list');
  assert.equal(isError, false);
  assert.match(text, /"summary":"go/u);

  const edit = { block_id: '', operations: [{ op: 'replace', start_line: 0, end_line: 1, content: 'GO' }] };
  let target = '';
  const writing = await createWorld([
    async function* () {
      yield* calling('block_edit', { ...edit, block_id: target });
    },
    say('done'),
  ]);
  const node = await writing.say('go');
  target = (await writing.nodes())[0]?.blocks[0]?.block_id ?? '';
  const turn = await writing.answer(node, { tools: ['block_edit'] });
  assert.equal(await writing.engine.turns.wait(turn), 'done');
  const history = await writing.engine.call(
    'block.history',
    { agent: 'person', type: 'person', role: 'owner', door: 'library', id: 'h' },
    { block_id: target },
  );
  assert.ok(history.ok);
  assert.match(JSON.stringify(history.value), /scripted:one/u);
});

test('[OP70] a model reaches its own conversation alone, and a refusal tells it what to do', async () => {
  let outside = '';
  const world = await createWorld([
    async function* () {
      yield* calling('block_list', { parent_id: outside });
    },
    say('so'),
  ]);
  const other = await world.engine.forest.createRoot({ agent: 'person', id: 'other' }, {});
  assert.ok(other.ok);
  outside = other.value.root;
  const refused = await resultOf(world, 'block_list');
  assert.ok(refused.isError);
  assert.match(refused.text, /You may not use/u);
});

test('[OP71] the tools of a turn are among those of its conversation, where that names some', async () => {
  const world = await createWorld([say('so')]);
  const node = await world.say('go');
  const caller = { agent: 'person', type: 'person', role: 'owner', door: 'library' } as const;
  const set = await world.engine.call(
    'root.configure',
    { ...caller, id: 'set' },
    { root: world.root, config: { tools: ['block_read'] } },
  );
  assert.ok(set.ok, JSON.stringify(set));
  const start = (id: string, tools: string[]): Promise<{ ok: boolean }> =>
    world.engine.call('turn.start', { ...caller, id }, { node, provider: 'scripted', model: 'one', tools });
  const refused = await start('one', ['block_read', 'block_edit']);
  assert.match(JSON.stringify(refused), /"invalid-params".*block_edit is not among the tools of the conversation/u);
  assert.equal((await start('two', ['block_read'])).ok, true);
  await world.engine.turns.idle();
});

test('[OP290] a model begins a draft in its own conversation without naming it, reads it and edits it under its name', async () => {
  let block = '';
  const world = await createWorld([
    calling('draft_create', { title: 'Plan', text: 'one\n' }),
    say('begun'),
    calling('draft_list', {}),
    say('seen'),
    async function* () {
      const replace = { op: 'replace', start_line: 0, end_line: 1, content: 'ONE', expected_text: 'one' };
      yield* calling('block_edit', { block_id: block, operations: [replace] });
    },
    say('edited'),
  ]);
  const [tool] = world.engine.registry.describeTools(['draft_create']);
  assert.deepEqual(tool?.parameters['required'], ['text']);
  assert.doesNotMatch(JSON.stringify(tool), /"root"/u);
  const made = await resultOf(world, 'draft_create');
  assert.equal(made.isError, false, made.text);
  const listed = await resultOf(world, 'draft_list');
  const [draft] = await draftsOf(world);
  assert.equal(draft?.title, 'Plan');
  block = draft.block_id ?? '';
  assert.ok(listed.text.includes(JSON.stringify(block)), listed.text);
  await resultOf(world, 'block_edit');
  const [edited] = await draftsOf(world);
  assert.deepEqual([edited?.opening, edited?.version], ['ONE\n', 2]);
  const rows = await world.engine.call('block.history', person('h'), { block_id: block });
  assert.ok(rows.ok);
  assert.deepEqual(
    rows.value.map(({ agent }) => agent),
    ['scripted:one', 'scripted:one'],
  );
});

test('[OP290] the tools that write drafts are offered where there are drafts, and never change', async () => {
  const world = await createWorld();
  const { engine, root } = world;
  const offered = async (): Promise<string[]> => {
    const listed = await engine.call('tool.list', person('t'), { root, offered: true, limit: 1000 });
    assert.ok(listed.ok);
    return listed.value.items.map(({ name }) => name);
  };
  assert.deepEqual(await offered(), ['blob_read', 'draft_create']);
  const made = await engine.call('draft.create', person('d'), { root, text: 'one\n' });
  assert.ok(made.ok);
  const withDraft = await offered();
  const writing = ['block_apply_patch', 'block_edit', 'block_read', 'block_search', 'block_undo', 'draft_list'];
  assert.deepEqual(withDraft, ['blob_read', ...writing, 'draft_create'].toSorted());
  const told = JSON.stringify(engine.registry.describeTools(withDraft));
  const edit = { block_id: made.value.block_id, offset: 0, delete_count: 0, insert: 'zero ' };
  assert.ok((await engine.call('block.splice', person('s'), edit)).ok);
  assert.equal(JSON.stringify(engine.registry.describeTools(withDraft)), told);
  assert.ok((await engine.call('draft.remove', person('r'), { node: made.value.node })).ok);
  assert.deepEqual(await offered(), ['blob_read', 'draft_create']);
});

test('[OP290] in plan mode a model edits drafts, and no message', async () => {
  let block = '';
  const edit = async function* () {
    const insert = { op: 'insert', line: 0, content: 'zero' };
    yield* calling('block_edit', { block_id: block, operations: [insert] });
  };
  const world = await createWorld([edit, say('so'), edit, say('so')]);
  const { engine, root } = world;
  assert.ok((await engine.call('root.configure', person('c'), { root, config: { approval_mode: 'plan' } })).ok);
  await world.say('Write the plan with me.');
  const made = await engine.call('draft.create', person('d'), { root, text: 'one\n' });
  assert.ok(made.ok);
  block = made.value.block_id;
  const turn = await world.answer((await world.nodes())[0]?.id ?? '', { tools: ['block_edit'] });
  assert.equal(await world.engine.turns.wait(turn), 'done');
  assert.equal((await draftsOf(world))[0]?.opening, 'zero\none\n');
  block = (await world.nodes()).find(({ role, draft }) => role === 'user' && draft !== true)?.blocks[0]?.block_id ?? '';
  const denied = await resultOf(world, 'block_edit');
  assert.deepEqual([denied.isError, /only drafts/u.test(denied.text)], [true, true], denied.text);
});

function person(id: string) {
  return { agent: 'person', type: 'person' as const, role: 'owner' as const, door: 'library' as const, id };
}

async function draftsOf(world: World) {
  const listed = await world.engine.call('draft.list', person('l'), { root: world.root });
  assert.ok(listed.ok);
  return listed.value.drafts;
}
