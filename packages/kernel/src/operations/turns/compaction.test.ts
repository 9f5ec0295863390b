import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../operation.ts';
import type { ProviderEvent } from '../../provider.ts';
import { say } from '../../testing/scripted-provider.ts';
import type { Script } from '../../testing/scripted-provider.ts';
import { createWorld } from '../../testing/world.ts';

const caller: Caller = { agent: 'person', type: 'person', role: 'writer', id: 'compact', door: 'library' };
const model = { provider: 'scripted', model: 'one' };

async function talkedThrough(...scripts: Script[]) {
  const world = await createWorld([say('first'), ...scripts]);
  const engine = world.another({ catalogue: { capsOf: () => ({ contextWindow: 4_000 }) } });
  await world.engine.turns.wait(await world.answer(await world.say('one')));
  const leaf = (await world.nodes()).at(-1)?.id ?? '';
  return { ...world, leaf, engine };
}

test('[TU43] a model sums up what leads to a node, and models below are shown the summary alone', async () => {
  const world = await talkedThrough(say('what was said'), say('going on'), say('elsewhere'));
  const outcome = await world.engine.call('turn.compact', caller, { node: world.leaf, ...model });
  assert.ok(outcome.ok);
  const { node, summary, ended } = outcome.value;
  assert.equal(ended, 'done');
  assert.equal(world.provider.requests[1]?.messages.length, 3);
  const state = await world.engine.forest.log(world.root).state();
  assert.deepEqual([state.nodes.get(node)?.parent, state.nodes.get(node)?.context_start], [world.leaf, true]);
  const below = await world.engine.call('context.get', caller, { node: summary });
  const above = await world.engine.call('context.get', caller, { node: world.leaf });
  assert.ok(below.ok && above.ok);
  assert.deepEqual(
    below.value.messages.map(({ role, content: [block] }) => [role, block?.type === 'text' && block.text.slice(0, 13)]),
    [
      ['user', 'Sum up our co'],
      ['assistant', 'what was said'],
    ],
  );
  assert.equal(above.value.messages.length, 2);
});

test('[TU43] a summary that fails changes nothing of what models are shown', async () => {
  const failing: ProviderEvent[] = [
    { type: 'call-start' },
    { type: 'call-error', error: { code: 'overloaded', message: 'later' } },
  ];
  const world = await talkedThrough(failing);
  const outcome = await world.engine.call('turn.compact', caller, { node: world.leaf, ...model });
  assert.ok(outcome.ok && outcome.value.ended === 'error');
  const state = await world.engine.forest.log(world.root).state();
  assert.equal(state.nodes.get(outcome.value.node)?.context_start, undefined);
});

test('[TU43] a summary that was cut off changes nothing of what models are shown', async () => {
  const cut = say('The').map((event) => (event.type === 'call-end' ? { ...event, reason: 'length' as const } : event));
  const world = await talkedThrough(cut);
  const outcome = await world.engine.call('turn.compact', caller, { node: world.leaf, ...model });
  assert.ok(outcome.ok && outcome.value.ended === 'no-room');
  const state = await world.engine.forest.log(world.root).state();
  assert.equal(state.nodes.get(outcome.value.node)?.context_start, undefined);
});

test('[TU44] the window of a model is told with what a context takes of it: at least what its last answer reported', async () => {
  const world = await talkedThrough(say('two'));
  const told = await world.engine.call('context.get', caller, { node: world.leaf });
  assert.ok(told.ok);
  assert.deepEqual([told.value.window, told.value.tokens], [4_000, 15]);
  const unknown = world.another({ catalogue: { capsOf: () => Promise.reject(new Error('no')) } });
  const plain = await unknown.call('context.get', caller, { node: world.leaf });
  assert.ok(plain.ok && plain.value.window === undefined);
});

test('[TU44] the error of a full window says what can be done', async () => {
  const world = await talkedThrough();
  const full = world.another({ catalogue: { capsOf: () => ({ contextWindow: 3 }) } });
  const params = { node: await world.say('more'), ...model, settings: { on_no_room: 'fail' } };
  const outcome = await full.turns.generate({ agent: 'person', id: 'full' }, world.root, params);
  assert.ok(outcome.ok);
  assert.equal(await full.turns.wait(outcome.value.turns[0] ?? ''), 'no-room');
  const [block] = (await full.forest.log(world.root).state()).nodes.get(outcome.value.nodes[0] ?? '')?.blocks ?? [];
  assert.ok(block?.type === 'error');
  assert.match(block.message, /of the 3 tokens that scripted:one can read.*summed up/);
});
