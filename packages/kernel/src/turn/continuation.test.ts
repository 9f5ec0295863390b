import assert from 'node:assert/strict';
import { test } from 'node:test';
import { joinParts, messagesOf } from '../forest/editing/text/message-parts.ts';
import { pathTo } from '../state/tree/tree.ts';
import type { ProviderEvent } from '../provider.ts';
import { say } from '../testing/scripted-provider.ts';
import type { Script } from '../testing/scripted-provider.ts';
import { createWorld } from '../testing/world.ts';

/** A conversation whose model `one` goes on with answers, and no other. */
async function begin(...scripts: Script[]) {
  const world = await createWorld(scripts);
  const provider = {
    id: 'scripted',
    takesPrefix: (model: string) => model === 'one',
    stream: world.provider.stream.bind(world.provider),
  };
  const engine = world.another({ providers: [provider] });
  const generate = async (node: string, model = 'one') => {
    const params = { node, provider: 'scripted', model };
    const outcome = await engine.turns.generate({ agent: 'person', id: world.ids.next() }, world.root, params);
    if (outcome.ok) await engine.turns.wait(outcome.value.turns[0] ?? '');
    return outcome;
  };
  const last = async () => [...(await engine.forest.log(world.root).state()).nodes.keys()].at(-1) ?? '';
  return { ...world, engine, generate, last };
}

test('[TU42] an answer goes on from its end, and is one message in views and later requests', async () => {
  const world = await begin(say('Once upon a'), say(' time'), say('Yes.'));
  await world.generate(await world.say('a story'));
  const first = await world.last();
  assert.ok((await world.generate(first)).ok);
  assert.deepEqual(world.provider.requests[1]?.messages.at(-1), {
    role: 'assistant',
    content: [{ type: 'text', text: 'Once upon a' }],
  });
  const state = await world.engine.forest.log(world.root).state();
  const node = state.nodes.get(await world.last());
  assert.deepEqual([node?.parent, node?.continues], [first, true]);
  const messages = messagesOf(pathTo(state, node?.id ?? ''));
  assert.equal(messages.length, 2);
  await world.generate(await world.say('more?', node?.id));
  assert.deepEqual(world.provider.requests[2]?.messages[1], {
    role: 'assistant',
    content: [{ type: 'text', text: 'Once upon a time' }],
  });
  assert.deepEqual(world.provider.requests[2]?.invalid, []);
});

test('[TU42] what broke off goes on without what went wrong', async () => {
  const broken: ProviderEvent[] = [
    ...say('half a').slice(0, 3),
    { type: 'call-error', error: { code: 'network', message: 'gone' } },
  ];
  const world = await begin(broken, say(' sentence'), say('ok'));
  await world.generate(await world.say('hi'));
  await world.generate(await world.last());
  const state = await world.engine.forest.log(world.root).state();
  const [, answer = []] = messagesOf(pathTo(state, await world.last()));
  const [block, ...others] = joinParts(answer);
  assert.ok(block?.type === 'text' && block.text === 'half a sentence' && block.status === 'done');
  assert.deepEqual([block.error, others], [undefined, []]);
  await world.generate(await world.say('and', await world.last()));
  assert.deepEqual(world.provider.requests[2]?.messages[1]?.content, [{ type: 'text', text: 'half a sentence' }]);
});

test('[TU42] a model that takes no prefix is refused, and nothing is begun', async () => {
  const world = await begin(say('one'));
  await world.generate(await world.say('hi'));
  const node = await world.last();
  const refused = await world.generate(node, 'other');
  assert.ok(!refused.ok);
  assert.deepEqual(refused.refusal, {
    reason: 'takes-no-prefix',
    node,
    provider: 'scripted',
    model: 'other',
    next: { type: 'retry', node },
  });
  assert.equal(await world.last(), node);
});
