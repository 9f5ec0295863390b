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
