import assert from 'node:assert/strict';
import { test } from 'node:test';
import { call, say } from '../testing/scripted-provider.ts';
import { createWorld, echoTool } from '../testing/world.ts';
import type { World } from '../testing/world.ts';

function retry(world: World, node: string, id = world.ids.next()) {
  return world.engine.turns.retry({ agent: 'person', id }, world.root, { node, provider: 'scripted', model: 'one' });
}

async function answerTo(world: World, outcome: Awaited<ReturnType<typeof retry>>): Promise<string> {
  assert.ok(outcome.ok);
  const [turn = ''] = outcome.value.turns;
  await world.engine.turns.wait(turn);
  return (await world.state()).turns.get(turn)?.node ?? '';
}

async function said(world: World): Promise<(string | undefined)[][]> {
  return (await world.nodes()).map(({ parent, blocks: [block] }) => [
    parent.split('/').at(-1),
    block?.type === 'text' ? block.text : block?.type,
  ]);
}

test('[TU28] a message without an answer is answered, and one with an answer gets another beside it', async () => {
  const world = await createWorld([say('one'), say('two')]);
  const message = await world.say('hi');
  assert.equal(await answerTo(world, await retry(world, message)), message);
  const leaf = (await world.nodes()).at(-1)?.id ?? '';
  assert.equal(await answerTo(world, await retry(world, leaf)), message);
  assert.deepEqual((await said(world)).slice(1), [
    ['node-1', 'one'],
    ['node-1', 'two'],
  ]);
});

test('[TU28] after calls and results, too, the nearest message of the user is what is answered', async () => {
  const world = await createWorld([call(['1', 'echo', '{}']), say('done'), say('again')], [echoTool('echo')]);
  const message = await world.say('go');
  await world.engine.turns.wait(await world.answer(message, { tools: ['echo'] }));
  assert.equal(await answerTo(world, await retry(world, (await world.nodes()).at(-1)?.id ?? '')), message);
  assert.deepEqual((await said(world)).at(-1), ['node-1', 'again']);
});

test('[TU28] the operation turn.retry does it for every door', async () => {
  const world = await createWorld([say('one'), say('two')]);
  const node = await world.say('hi');
  const caller = { agent: 'person', type: 'person', role: 'writer', door: 'command' } as const;
  for (const id of ['a', 'b']) {
    const params = { node, provider: 'scripted', model: 'one' };
    assert.equal(await answerTo(world, await world.engine.call('turn.retry', { ...caller, id }, params)), node);
  }
  assert.equal((await world.nodes()).length, 3);
});

test('[TU28] while the message is being answered a retry is refused, but for the request that began it', async () => {
  const world = await createWorld([say('one')]);
  const message = await world.say('hi');
  const first = await retry(world, message, 'once');
  const [second, third] = [await retry(world, message, 'once'), await retry(world, message, 'twice')];
  assert.deepEqual(second, first);
  assert.equal(third.ok ? '' : third.refusal.reason, 'turn-live');
  await answerTo(world, first);
});

test('[TU28] where no user has said anything there is nothing to answer', async () => {
  const world = await createWorld();
  const greeting = await world.engine.forest.append({ agent: 'person', id: world.ids.next() }, world.root, {
    parent: world.root,
    messages: [{ role: 'assistant', content: [{ type: 'text', text: 'Welcome' }] }],
  });
  assert.ok(greeting.ok);
  for (const [node, reason] of [
    [greeting.value.nodes[0] ?? '', 'nothing-to-answer'],
    [world.root, 'node-not-found'],
    [`${world.root}/node-9`, 'node-not-found'],
  ] as const) {
    const outcome = await retry(world, node);
    assert.equal(outcome.ok ? '' : outcome.refusal.reason, reason);
  }
});
